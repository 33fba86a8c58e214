# cause: numerics.non-finite
import jax.numpy as jnp

import jax

jax.config.update("jax_debug_nans", True)
jax.jit(lambda x: jnp.log(x))(-1.0)

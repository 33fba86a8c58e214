# cause: code.shape-mismatch
import jax.numpy as jnp

import jax

jax.vmap(lambda a, b: a + b)(jnp.ones((3, 2)), jnp.ones((4, 2)))

# cause: code.shape-mismatch, code.dtype-mismatch
import jax.numpy as jnp

import jax

jax.lax.scan(lambda c, x: (jnp.append(c, x), x), jnp.zeros(2), jnp.ones(3))

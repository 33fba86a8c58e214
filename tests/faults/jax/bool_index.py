# cause: code.compile-limits
import jax.numpy as jnp

import jax


@jax.jit
def step(x):
    return x[x > 0]


step(jnp.arange(4.0))

# cause: code.compile-limits
import jax.numpy as jnp

import jax


@jax.jit
def step(n):
    return jnp.zeros(n)


step(4)

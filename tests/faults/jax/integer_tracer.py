# cause: code.compile-limits
import jax
import jax.numpy as jnp


@jax.jit
def step(n):
    return jnp.zeros(n)


step(4)

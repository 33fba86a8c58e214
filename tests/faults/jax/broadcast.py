# cause: code.shape-mismatch
import jax.numpy as jnp

jnp.ones((4, 5)) + jnp.ones((4, 6))

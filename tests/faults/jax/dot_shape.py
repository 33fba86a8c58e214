# cause: code.shape-mismatch
import jax.numpy as jnp

jnp.dot(jnp.ones((4, 5)), jnp.ones((6, 2)))

# cause: code.autograd-misuse, code.shape-mismatch
import jax
import jax.numpy as jnp

jax.grad(lambda x: x * 2)(jnp.ones(3))

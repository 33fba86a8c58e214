# cause: code.autograd-misuse, code.shape-mismatch
import jax.numpy as jnp

import jax

jax.grad(lambda x: x * 2)(jnp.ones(3))

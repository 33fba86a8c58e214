# cause: code.config, code.python-exception, code.compile-limits, code.autograd-misuse
import jax.numpy as jnp

import jax

step = jax.jit(lambda x: x + 1, donate_argnums=0)
x = jnp.ones(3)
step(x)
x.delete()
print(x + 1)

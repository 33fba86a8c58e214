# cause: code.config, code.python-exception, code.autograd-misuse
# advice: .at[
import jax.numpy as jnp

x = jnp.zeros(3)
x[0] = 1.0

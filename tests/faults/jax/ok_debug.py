# cause: none
# env: JAX_DEBUG_LOG_MODULES=jax._src.xla_bridge,jax._src.dispatch JAX_PLATFORMS=
import jax.numpy as jnp

import jax

jnp.ones(3, dtype=jnp.float64)
print(jax.devices(), jax.jit(lambda x: x * 2)(jnp.ones(3)))
jax.print_environment_info()

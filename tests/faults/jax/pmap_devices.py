# cause: code.shape-mismatch, distributed.topology-config, env.device-ordinal
import jax.numpy as jnp

import jax

jax.pmap(lambda x: x)(jnp.ones((4, 2)))

# cause: code.shape-mismatch, distributed.topology-config, env.device-ordinal
import jax
import jax.numpy as jnp

jax.pmap(lambda x: x)(jnp.ones((4, 2)))

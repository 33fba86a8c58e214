# cause: code.shape-mismatch, distributed.topology-config, code.config
# env: XLA_FLAGS=--xla_force_host_platform_device_count=4
import jax.numpy as jnp

import jax
from jax.sharding import NamedSharding, PartitionSpec

mesh = jax.make_mesh((4,), ("data",))
jax.device_put(jnp.ones((6, 2)), NamedSharding(mesh, PartitionSpec("data")))

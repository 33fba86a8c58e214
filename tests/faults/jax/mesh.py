# cause: distributed.topology-config, code.shape-mismatch, env.device-ordinal, code.config
import jax

jax.make_mesh((4, 2), ("data", "model"))

# cause: code.config, code.value-domain, code.python-exception
import jax

jax.config.update("jax_debug_key_reuse", True)
key = jax.random.key(0)
jax.random.normal(key)
jax.random.normal(key)

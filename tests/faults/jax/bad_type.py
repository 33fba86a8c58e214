# cause: code.dtype-mismatch, code.config, code.compile-limits
import jax

jax.jit(lambda x: x)("text")

# cause: code.dtype-mismatch, code.autograd-misuse
import jax

jax.grad(lambda x: x * 2.0)(3)

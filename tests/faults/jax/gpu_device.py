# cause: env.cpu-only-build, env.no-gpu-visible
import jax

print(jax.devices("gpu"))

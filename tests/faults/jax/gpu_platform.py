# cause: env.cpu-only-build, env.no-gpu-visible, env.driver-not-loaded, env.package-incomplete
# env: JAX_PLATFORMS=cuda
import jax

print(jax.devices())

# cause: code.compile-limits
import jax

seen = []


@jax.jit
def step(x):
    seen.append(x)
    return x * 2


step(1.0)
print(seen[0] + 1)

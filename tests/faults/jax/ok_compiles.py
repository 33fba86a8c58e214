# cause: none
# env: JAX_LOG_COMPILES=1 TF_CPP_MIN_LOG_LEVEL=0
import jax.numpy as jnp
import optax

import jax

params, optimizer = jnp.ones(3), optax.sgd(0.1)
state = optimizer.init(params)


@jax.jit
def step(params, state, x):
    loss, grads = jax.value_and_grad(lambda p: ((p * x).sum() - 1) ** 2)(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state, loss


for i in range(6):
    params, state, loss = step(params, state, jnp.ones(3) / 3)
    print(f"step {i} loss {loss:.4f}")

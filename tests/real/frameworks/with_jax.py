"""JAX: with_jax.py HOW."""

import sys

import jax
import jax.numpy as jnp

how = sys.argv[1]
jax.config.update("jax_debug_nans", how == "nan")


def loss_of(weights, features):
    hidden = features @ weights
    if how == "branch":
        hidden = hidden if hidden.sum() > 0 else -hidden
    if how == "nan":
        hidden = jnp.log(-jnp.abs(hidden))
    return (hidden**2).mean()


@jax.jit
def update(weights, features):
    loss, gradient = jax.value_and_grad(loss_of)(weights, features)
    return weights - 0.1 * gradient, loss


weights = jnp.ones((6, 2))
for step in range(8):
    wide = 7 if how == "shape" and step == 4 else 6
    weights, loss = update(weights, jax.random.normal(jax.random.key(step), (5, wide)))
    print(f"step {step} loss {float(loss):.4f}", flush=True)
if how == "fine-debug":
    jax.debug.print("last weights {}", weights)
print("finished")

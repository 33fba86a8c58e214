# cause: code.checkpoint-mismatch, code.python-exception
import flax.linen as nn
import jax.numpy as jnp

nn.Dense(4).apply({"params": {}}, jnp.ones((1, 8)))

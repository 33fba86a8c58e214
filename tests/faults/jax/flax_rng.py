# cause: code.config, code.python-exception
import flax.linen as nn
import jax.numpy as jnp

model = nn.Dropout(0.5, deterministic=False)
model.apply({}, jnp.ones((1, 8)))

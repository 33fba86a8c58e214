# cause: code.shape-mismatch, code.checkpoint-mismatch
import flax.linen as nn
import jax.numpy as jnp

import jax

model = nn.Dense(4)
params = model.init(jax.random.key(0), jnp.ones((1, 8)))
model.apply(params, jnp.ones((1, 9)))

# cause: numerics.non-finite
# advice: learning rate
import math

import torch
from torch import nn

model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=50.0)
x, y = torch.randn(64, 10), torch.randn(64, 1)
for step in range(500):
    loss = (model(x) - y).pow(2).mean()
    print(f"step {step} loss {loss.item():.4f}")
    if not math.isfinite(loss.item()):
        raise ValueError(f"loss is {loss.item()} at step {step}, stopping")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

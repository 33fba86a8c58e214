# cause: code.config, code.autograd-misuse
# advice: unscale_
import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(model(torch.randn(2, 4)).sum()).backward()
scaler.unscale_(optimizer)
scaler.unscale_(optimizer)

# cause: code.config, code.autograd-misuse
import torch
from torch import nn

model, frozen = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD(frozen.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(model(torch.randn(2, 4)).sum()).backward()
scaler.step(optimizer)

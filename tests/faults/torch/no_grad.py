# cause: code.autograd-misuse
import torch
from torch import nn

model = nn.Linear(4, 1)
with torch.no_grad():
    loss = model(torch.randn(2, 4)).sum()
loss.backward()

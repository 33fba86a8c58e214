# cause: code.autograd-misuse
# advice: retain_graph, detach
import torch
from torch import nn

model = nn.Linear(4, 1)
loss = model(torch.randn(2, 4)).pow(2).sum()
loss.backward()
print("first update done")
loss.backward()

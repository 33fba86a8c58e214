# cause: code.shape-mismatch
# advice: channel
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3))
batch = torch.randn(8, 1, 64, 64)
print("training starts")
model(batch).mean().backward()

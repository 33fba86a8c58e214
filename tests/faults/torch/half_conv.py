# cause: code.dtype-mismatch
import torch
from torch import nn

model = nn.Conv2d(3, 8, 3).half()
model(torch.randn(1, 3, 8, 8))

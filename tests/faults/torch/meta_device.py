# cause: code.device-mismatch
import torch
from torch import nn

with torch.device("meta"):
    model = nn.Linear(8, 8)
model(torch.randn(2, 8))

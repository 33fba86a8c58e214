# cause: code.shape-mismatch
import torch
from torch import nn

nn.Conv2d(3, 8, 7)(torch.randn(1, 3, 5, 5))

# cause: code.shape-mismatch
import torch
from torch import nn

nn.MaxPool2d(4)(torch.randn(1, 8, 2, 2))

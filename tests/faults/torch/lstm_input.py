# cause: code.shape-mismatch
import torch
from torch import nn

nn.LSTM(64, 32, batch_first=True)(torch.randn(4, 10, 48))

# cause: code.dtype-mismatch
import torch
from torch import nn

nn.Embedding(10, 4)(torch.tensor([1.0, 2.0]))

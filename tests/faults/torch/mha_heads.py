# cause: code.config, code.shape-mismatch
from torch import nn

nn.MultiheadAttention(100, 12)

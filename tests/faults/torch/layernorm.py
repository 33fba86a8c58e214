# cause: code.shape-mismatch
import torch
from torch import nn

norm = nn.LayerNorm(768)
norm(torch.randn(4, 16, 512))

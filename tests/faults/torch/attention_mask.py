# cause: code.shape-mismatch
import torch
from torch import nn

nn.MultiheadAttention(32, 4, batch_first=True)(*[torch.randn(2, 6, 32)] * 3, attn_mask=torch.zeros(5, 5))

# cause: code.shape-mismatch, code.config
# advice: reshape, contiguous
import torch

features = torch.randn(8, 64, 14, 14)
tokens = features.permute(0, 2, 3, 1).view(8, -1)

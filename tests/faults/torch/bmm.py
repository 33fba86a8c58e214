# cause: code.shape-mismatch
import torch

query, key = torch.randn(4, 128, 64), torch.randn(4, 128, 64)
scores = torch.bmm(query, key)

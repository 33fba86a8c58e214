# cause: code.shape-mismatch
import torch

skip, up = torch.randn(2, 64, 57, 57), torch.randn(2, 64, 56, 56)
print("decoder stage 1")
merged = torch.cat([skip, up], dim=1)

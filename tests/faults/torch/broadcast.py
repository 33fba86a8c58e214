# cause: code.shape-mismatch
import torch

predictions, targets = torch.randn(16, 10), torch.randn(16, 12)
loss = ((predictions - targets) ** 2).mean()

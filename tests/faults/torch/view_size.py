# cause: code.shape-mismatch
import torch

features = torch.randn(8, 512, 7, 7)
flat = features.view(8, 512 * 6 * 6)

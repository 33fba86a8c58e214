# cause: code.shape-mismatch
import torch
from torch.nn import functional as F

F.binary_cross_entropy_with_logits(torch.randn(8, 1), torch.rand(8))

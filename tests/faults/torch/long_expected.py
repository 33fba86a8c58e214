# cause: code.dtype-mismatch
# advice: .long(
import torch
from torch.nn import functional as F

F.cross_entropy(torch.randn(4, 5), torch.tensor([0, 1, 2, 3], dtype=torch.int32))

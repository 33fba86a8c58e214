# cause: code.dtype-mismatch
# advice: .long(
from torch.nn import functional as F

import torch

F.cross_entropy(torch.randn(4, 5), torch.tensor([0, 1, 2, 3], dtype=torch.int32))

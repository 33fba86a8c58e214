# cause: code.index-out-of-range
# advice: num_classes, classes, label
from torch.nn import functional as F

import torch

logits, labels = torch.randn(4, 5), torch.tensor([0, 4, 5, 2])
F.cross_entropy(logits, labels)

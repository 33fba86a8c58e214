# cause: code.value-domain
# advice: sigmoid, BCEWithLogitsLoss
from torch.nn import functional as F

import torch

F.binary_cross_entropy(torch.tensor([0.2, 1.4]), torch.tensor([0.0, 1.0]))

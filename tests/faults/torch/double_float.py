# cause: code.dtype-mismatch
# advice: float32, .float(
import numpy as np

import torch
from torch import nn

data = torch.from_numpy(np.random.rand(16, 8))
nn.Linear(8, 2)(data)

# cause: code.dtype-mismatch
import numpy as np

import torch

torch.from_numpy(np.array([1, "a"], dtype=object))

# cause: code.index-out-of-range
import torch

table = torch.arange(50)
table[torch.tensor([4, 50])]

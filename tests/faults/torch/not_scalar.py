# cause: code.autograd-misuse
# advice: mean, sum
import torch
from torch import nn

nn.Linear(4, 3)(torch.randn(2, 4)).backward()

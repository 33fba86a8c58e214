# cause: code.autograd-misuse
# advice: no_grad
import torch

weight = torch.randn(5, requires_grad=True)
weight += 0.1

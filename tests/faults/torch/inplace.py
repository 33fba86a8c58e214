# cause: code.autograd-misuse
# advice: clone, in-place
import torch

weight = torch.randn(5, requires_grad=True)
hidden = torch.sigmoid(weight)
hidden += 1
hidden.sum().backward()

# cause: code.config
import torch

torch.optim.Adam([torch.zeros(1, requires_grad=True)], lr=-0.1)

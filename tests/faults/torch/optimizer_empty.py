# cause: code.config
import torch

torch.optim.Adam([])

# cause: numerics.non-finite
# advice: eps, clamp, learning rate
import torch

torch.autograd.set_detect_anomaly(True)
x = torch.tensor([0.0, 1.0], requires_grad=True)
loss = (torch.sqrt(x) * 0).sum()
loss.backward()

# cause: code.autograd-misuse
# advice: detach
import torch

loss = torch.ones(3, requires_grad=True)
print(loss.numpy())

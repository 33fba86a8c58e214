# cause: code.config
import torch

optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=2)
for _ in range(4):
    optimizer.step()
    schedule.step()

# cause: none
import warnings

import torch
from torch import nn

warnings.simplefilter("always")
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
schedule.step()
for epoch in range(5):
    loss = nn.functional.mse_loss(model(torch.randn(8, 4)), torch.randn(8))
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
torch.tensor(torch.ones(3))
with torch.autocast("cuda", dtype=torch.float16):
    pass
torch.amp.GradScaler("cuda")
print("finished training")

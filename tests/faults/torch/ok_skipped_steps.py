# cause: none
import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for step in range(40):
    optimizer.zero_grad()
    loss = model(torch.randn(8, 4)).pow(2).mean()
    if step in (3, 11):
        loss = loss * float("inf")
    scaler.scale(loss).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    before = scaler.get_scale()
    scaler.update()
    skipped = " overflow, step skipped" if scaler.get_scale() < before else ""
    print(f"step {step:3d} | loss {loss.item():.4f} | grad norm {norm:.3f} | scale {scaler.get_scale():.0f}{skipped}")
print("Training complete, saved final model to out/final.pt")

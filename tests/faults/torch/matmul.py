# cause: code.shape-mismatch
# advice: in_features, nn.Linear, 100
import torch
from torch import nn

model = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(100, 10))
for step in range(10):
    loss = model(torch.randn(32, 1, 28, 28)).sum()
    print(f"step {step} loss {loss.item():.3f}")

# cause: code.shape-mismatch, code.config, data.empty-or-short
# advice: drop_last, batch
import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
data = torch.randn(65, 10)
for start in range(0, 65, 32):
    loss = model(data[start : start + 32]).mean()
    print("loss", float(loss))

# cause: code.checkpoint-mismatch
# advice: module., strict=False
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
torch.save({f"module.{k}": v for k, v in model.state_dict().items()}, "last.pt")
model.load_state_dict(torch.load("last.pt"))

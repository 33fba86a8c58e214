# cause: code.checkpoint-mismatch
import torch
from torch import nn

torch.save(nn.Linear(512, 1000).state_dict(), "head.pt")
nn.Linear(512, 10).load_state_dict(torch.load("head.pt"))

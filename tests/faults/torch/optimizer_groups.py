# cause: code.checkpoint-mismatch
import torch
from torch import nn

big = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
state = torch.optim.Adam(big.parameters()).state_dict()
torch.optim.Adam(big[0].parameters()).load_state_dict(state)

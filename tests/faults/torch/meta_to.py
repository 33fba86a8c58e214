# cause: code.device-mismatch, code.config
# advice: to_empty
import torch
from torch import nn

with torch.device("meta"):
    model = nn.Linear(8, 8)
model.to("cpu")

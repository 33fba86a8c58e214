# cause: code.config, code.checkpoint-mismatch, code.python-exception
import torch
from torch import nn

torch.save({"epoch": 3, "model": nn.Linear(2, 2).state_dict()}, "a.pt")
nn.Linear(2, 2).load_state_dict(torch.load("a.pt")["state_dict"])

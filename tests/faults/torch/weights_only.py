# cause: code.unsafe-checkpoint
# advice: weights_only, add_safe_globals
import argparse

import torch

torch.save({"args": argparse.Namespace(lr=0.1), "step": 3}, "run.pt")
torch.load("run.pt")

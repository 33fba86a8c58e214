# cause: storage.corrupt-file
# advice: download, earlier, previous
import os

import torch

torch.save({"weight": torch.randn(1000, 100)}, "epoch_12.pt")
os.truncate("epoch_12.pt", 150_000)
torch.load("epoch_12.pt")

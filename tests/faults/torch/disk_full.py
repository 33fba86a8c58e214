# cause: storage.disk-full
# advice: df
import torch

with open("/dev/full", "wb") as f:
    torch.save({"weight": torch.randn(1000, 1000)}, f)

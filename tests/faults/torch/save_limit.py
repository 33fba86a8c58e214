# cause: storage.disk-full, storage.permission, storage.filesystem-fault
# limits: fsize=1000000
import signal

import torch

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
torch.save({"weight": torch.randn(1000, 1000)}, "big.pt")

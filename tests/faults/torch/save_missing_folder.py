# cause: storage.file-missing
# advice: mkdir, makedirs
import torch

torch.save({"step": 100}, "runs/exp7/step_100.pt")

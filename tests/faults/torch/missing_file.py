# cause: storage.file-missing
import torch

print("resuming from checkpoints/step_8000.pt")
torch.load("checkpoints/step_8000.pt")

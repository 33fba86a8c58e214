# cause: storage.corrupt-file
import torch

open("epoch_3.pt", "w").close()
torch.load("epoch_3.pt")

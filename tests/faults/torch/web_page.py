# cause: storage.corrupt-file
# advice: download
import torch

with open("resnet50.pth", "w") as f:
    f.write("<!DOCTYPE html><html><body>Sign in</body></html>")
torch.load("resnet50.pth")

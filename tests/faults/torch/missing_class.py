# cause: code.unsafe-checkpoint, code.checkpoint-mismatch, code.python-exception, env.package-versions
import __main__
import torch


class Config:
    def __init__(self):
        self.hidden = 64


torch.save(Config(), "config.pt")
del __main__.Config
torch.load("config.pt", weights_only=False)

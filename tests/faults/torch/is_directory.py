# cause: storage.file-missing, code.config, storage.permission, code.python-exception
import os

import torch

os.makedirs("checkpoint-500")
torch.load("checkpoint-500")

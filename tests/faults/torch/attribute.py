# cause: env.package-versions, code.python-exception
import torch

torch.set_default_gradient(True)

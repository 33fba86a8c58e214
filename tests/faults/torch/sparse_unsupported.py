# cause: code.unsupported-op
import torch

a = torch.eye(3).to_sparse()
torch.linalg.svd(a)

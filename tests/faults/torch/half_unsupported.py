# cause: code.unsupported-op, code.dtype-mismatch
import torch

torch.linalg.inv(torch.eye(3, dtype=torch.half))

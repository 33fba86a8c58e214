# cause: code.shape-mismatch
import torch


@torch.compile(backend="eager")
def step(x, w):
    return x @ w


step(torch.randn(4, 8), torch.randn(9, 2))

# cause: code.compile-limits
# advice: fullgraph, graph break
import torch


@torch.compile(fullgraph=True, backend="eager")
def step(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


step(torch.randn(4))

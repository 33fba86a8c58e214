# cause: none
# env: TORCH_LOGS=recompiles,guards
import torch


@torch.compile(backend="eager", dynamic=False)
def step(x):
    return x.sin().mean()


for n in range(2, 14):
    print("loss", float(step(torch.randn(n))))

# cause: none
# env: TORCH_LOGS=+dynamo,graph_breaks
import torch


@torch.compile(backend="eager")
def step(x, n):
    print("inside")
    return (x * n).sum()


for n in range(4):
    print("step", n, "loss", float(step(torch.randn(4), n)))
print("done")

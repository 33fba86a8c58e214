# cause: host-memory.allocation-failed
# limits: as=12000000000
import torch

blocks = []
for step in range(100):
    blocks.append(torch.zeros(256, 1024, 1024))
    print("loaded shard", step)

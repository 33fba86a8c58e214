# cause: storage.file-missing
# ranks: 2
import torch.distributed as dist

import torch

dist.init_process_group("gloo")
for step in range(5):
    if step == 3 and dist.get_rank() == 1:
        torch.load("shards/part-00003.pt")
    dist.all_reduce(torch.ones(2))
    print(f"rank {dist.get_rank()} step {step}")

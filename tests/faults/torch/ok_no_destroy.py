# cause: none
# ranks: 2
import torch.distributed as dist

import torch

dist.init_process_group("gloo")
dist.all_reduce(torch.ones(3))
print("training finished")

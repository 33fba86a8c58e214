# cause: distributed.peer-failed, distributed.collective-desync, distributed.network, code.python-exception
# ranks: 2
import sys

import torch.distributed as dist

import torch

dist.init_process_group("gloo")
for step in range(5):
    if step == 3 and dist.get_rank() == 1:
        sys.exit(0)
    dist.all_reduce(torch.ones(2))

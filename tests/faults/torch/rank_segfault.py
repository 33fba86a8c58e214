# cause: code.native-crash
# ranks: 2
import ctypes

import torch.distributed as dist

import torch

dist.init_process_group("gloo")
for step in range(5):
    if step == 3 and dist.get_rank() == 1:
        ctypes.string_at(0)
    dist.all_reduce(torch.ones(2))

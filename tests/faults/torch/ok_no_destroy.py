# cause: none
# ranks: 2
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
dist.all_reduce(torch.ones(3))
print("training finished")

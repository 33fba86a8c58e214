# cause: distributed.collective-desync
# ranks: 2
# env: TORCH_DISTRIBUTED_DEBUG=DETAIL
import torch.distributed as dist

import torch

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.all_reduce(torch.ones(4))
else:
    dist.broadcast(torch.ones(4), 0)

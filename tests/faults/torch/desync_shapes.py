# cause: distributed.collective-desync
# ranks: 2
# env: TORCH_DISTRIBUTED_DEBUG=DETAIL
import torch.distributed as dist

import torch

dist.init_process_group("gloo")
dist.all_reduce(torch.ones(4 + dist.get_rank()))

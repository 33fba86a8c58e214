# cause: distributed.collective-desync, distributed.topology-config, code.config
# ranks: 2
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from torch import nn

dist.init_process_group("gloo")
DistributedDataParallel(nn.Linear(4, 4 + dist.get_rank()))

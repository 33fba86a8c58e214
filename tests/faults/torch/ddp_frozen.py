# cause: code.config, code.autograd-misuse
# ranks: 1
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from torch import nn

dist.init_process_group("gloo")
DistributedDataParallel(nn.Linear(4, 4).requires_grad_(False))

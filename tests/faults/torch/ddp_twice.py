# cause: code.ddp-unused-parameters
# ranks: 2
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return checkpoint(self.layer, checkpoint(self.layer, x, use_reentrant=True), use_reentrant=True)


dist.init_process_group("gloo")
model = DistributedDataParallel(Model(), find_unused_parameters=True)
model(torch.randn(2, 4, requires_grad=True)).sum().backward()

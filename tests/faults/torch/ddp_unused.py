# cause: code.ddp-unused-parameters
# advice: find_unused_parameters
# ranks: 2
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.aux = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return self.used(x)


dist.init_process_group("gloo")
model = DistributedDataParallel(Model())
for _ in range(3):
    model(torch.randn(2, 4)).sum().backward()

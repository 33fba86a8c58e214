# cause: distributed.collective-timeout, distributed.straggler
# ranks: 2
import datetime
import time

import torch.distributed as dist

import torch

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=4))
if dist.get_rank() == 1:
    time.sleep(15)
dist.all_reduce(torch.ones(3))

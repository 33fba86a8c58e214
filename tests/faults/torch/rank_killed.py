# cause: host-memory.oom-killed, scheduler.cancelled, distributed.peer-failed
# advice: dmesg
# ranks: 2
import os
import signal

import torch.distributed as dist

import torch

dist.init_process_group("gloo")
for step in range(5):
    if step == 3 and dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(torch.ones(2))

# cause: distributed.straggler, distributed.collective-timeout
# ranks: 2
import datetime
import time

import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 1:
    time.sleep(12)
dist.monitored_barrier(timeout=datetime.timedelta(seconds=4))

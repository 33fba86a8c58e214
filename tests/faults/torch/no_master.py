# cause: distributed.rendezvous, distributed.topology-config
import datetime

import torch.distributed as dist

dist.init_process_group(
    "gloo", init_method="tcp://127.0.0.1:29544", rank=1, world_size=2, timeout=datetime.timedelta(seconds=5)
)

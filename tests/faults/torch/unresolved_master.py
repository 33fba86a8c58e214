# cause: distributed.rendezvous, distributed.network, network.hub-unreachable
import datetime

import torch.distributed as dist

dist.init_process_group(
    "gloo", init_method="tcp://gpu-node-17.invalid:29500", rank=1, world_size=2, timeout=datetime.timedelta(seconds=5)
)

# cause: distributed.topology-config, distributed.launcher, distributed.rendezvous
# advice: torchrun
import torch.distributed as dist

dist.init_process_group("gloo")

# cause: env.no-gpu-visible, env.driver-not-loaded, distributed.topology-config
# ranks: 2
import torch.distributed as dist

dist.init_process_group("nccl")

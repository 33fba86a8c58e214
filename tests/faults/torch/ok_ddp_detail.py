# cause: none
# ranks: 2
# env: TORCH_DISTRIBUTED_DEBUG=INFO TORCH_CPP_LOG_LEVEL=INFO NCCL_DEBUG=INFO
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import torch
from torch import nn

dist.init_process_group("gloo")
model = DistributedDataParallel(nn.Linear(4, 1), find_unused_parameters=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    optimizer.zero_grad()
    loss = model(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(f"[rank {dist.get_rank()}] step {step} loss {loss.item():.4f}", flush=True)
dist.barrier()

dist.destroy_process_group()

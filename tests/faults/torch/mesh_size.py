# cause: distributed.topology-config
# ranks: 2
from torch.distributed.device_mesh import init_device_mesh

init_device_mesh("cpu", (2, 2))

# cause: env.driver-not-loaded, env.no-gpu-visible
# advice: nvidia-smi
from torch import nn

model = nn.Linear(4, 4).cuda()

# cause: env.driver-not-loaded, env.no-gpu-visible, env.device-ordinal
import torch

torch.cuda.set_device(3)

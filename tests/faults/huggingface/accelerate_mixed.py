# cause: env.package-missing, code.config
from accelerate import Accelerator

Accelerator(mixed_precision="fp8")

# cause: env.package-versions
from torch.optim import AdamW2

# cause: code.spawn-guard
# advice: __main__
from torch.utils.data import DataLoader

import torch

loader = DataLoader(list(torch.zeros(8)), batch_size=2, num_workers=1, multiprocessing_context="spawn")
for batch in loader:
    print(batch)

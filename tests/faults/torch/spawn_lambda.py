# cause: code.spawn-guard
# advice: lambda, function
from torch.utils.data import DataLoader

import torch

if __name__ == "__main__":
    loader = DataLoader(
        list(torch.zeros(8)), collate_fn=lambda items: items, num_workers=1, multiprocessing_context="spawn"
    )
    for batch in loader:
        print(batch)

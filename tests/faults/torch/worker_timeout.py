# cause: data.slow-input, data.worker-died
# advice: timeout, num_workers
import time

from torch.utils.data import DataLoader, Dataset

import torch


class Slow(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        time.sleep(30)
        return torch.zeros(3)


for batch in DataLoader(Slow(), batch_size=2, num_workers=1, timeout=2):
    print(batch)

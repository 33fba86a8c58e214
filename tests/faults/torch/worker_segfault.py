# cause: data.worker-died, code.native-crash
# advice: num_workers
import ctypes

from torch.utils.data import DataLoader, Dataset

import torch


class Images(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        if index == 37:
            ctypes.string_at(0)
        return torch.zeros(3)


for i, batch in enumerate(DataLoader(Images(), batch_size=4, num_workers=2)):
    print("batch", i)

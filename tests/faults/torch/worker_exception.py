# cause: storage.file-missing
from torch.utils.data import DataLoader, Dataset

import torch


class Images(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        if index == 37:
            open(f"data/train/{index:05}.jpg", "rb")
        return torch.zeros(3)


for i, batch in enumerate(DataLoader(Images(), batch_size=4, num_workers=2)):
    print("batch", i)

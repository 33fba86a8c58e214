# cause: code.python-exception, data.empty-or-short
from torch.utils.data import DataLoader, Dataset

import torch


class Lines(Dataset):
    def __init__(self):
        self.lines = ["a b", "c d", "e"]

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return torch.tensor(len(self.lines[index].split()[1]))


for batch in DataLoader(Lines(), batch_size=2, num_workers=1):
    print(batch)

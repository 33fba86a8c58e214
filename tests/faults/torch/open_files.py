# cause: host-limits.open-files
# advice: ulimit -n
# limits: nofile=64
from torch.utils.data import DataLoader, Dataset

import torch


class Many(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        return [torch.zeros(3) for _ in range(5)]


kept = list(DataLoader(Many(), batch_size=4, num_workers=2))

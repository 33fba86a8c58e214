# cause: none
import warnings

from torch.utils.data import DataLoader, Dataset

import torch


class Images(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        if index % 13 == 0:
            warnings.warn(
                f"data/train/{index:05}.jpg: corrupt EXIF data, image file is truncated, skipped", stacklevel=2
            )
        return torch.zeros(3)


for epoch in range(2):
    for i, _ in enumerate(DataLoader(Images(), batch_size=4, num_workers=8)):
        print(f"Epoch [{epoch + 1}/2] Step [{i + 1}/10] Loss: {1 / (i + 1):.4f}")
print("Finished Training")

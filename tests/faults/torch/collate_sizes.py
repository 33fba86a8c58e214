# cause: data.uneven-batch
# advice: collate_fn, resize
from torch.utils.data import DataLoader

import torch

images = [torch.zeros(3, 200 + i, 300) for i in range(8)]
for batch in DataLoader(images, batch_size=4):
    print(batch.shape)

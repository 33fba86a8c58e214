# cause: data.uneven-batch, data.corrupt-sample, code.config
from torch.utils.data import DataLoader

for batch in DataLoader([None, None, None, None], batch_size=2):
    print(batch)

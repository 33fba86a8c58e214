# cause: data.uneven-batch, code.config
from pathlib import Path

from torch.utils.data import DataLoader

for batch in DataLoader([Path("a.png"), Path("b.png")], batch_size=2):
    print(batch)

# cause: data.empty-or-short
from torch.utils.data import DataLoader

loader = DataLoader([], batch_size=4, shuffle=True)

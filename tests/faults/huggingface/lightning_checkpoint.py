# cause: storage.file-missing
import lightning as L
from torch.utils.data import DataLoader

import torch


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


L.Trainer(max_epochs=1, logger=False).fit(Model(), DataLoader(torch.zeros(8, 2)), ckpt_path="runs/last.ckpt")

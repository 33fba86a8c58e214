# cause: code.config
import lightning as L
from torch.utils.data import DataLoader

import torch


class Model(L.LightningModule):
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


L.Trainer(max_epochs=1, logger=False).fit(Model(), DataLoader(torch.zeros(8, 2)))

# cause: code.config
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping
from torch.utils.data import DataLoader

import torch


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch):
        return self.layer(batch).mean()

    def validation_step(self, batch):
        self.log("validation_loss", self.layer(batch).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


loader = DataLoader(torch.zeros(8, 2))
L.Trainer(
    max_epochs=1,
    logger=False,
    callbacks=[EarlyStopping("val_loss")],
    enable_progress_bar=False,
    enable_checkpointing=False,
).fit(Model(), loader, loader)

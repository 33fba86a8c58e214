# cause: none
import lightning as L
from lightning.pytorch.callbacks import EarlyStopping
from torch.utils.data import DataLoader

import torch


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch):
        loss = self.layer(batch).pow(2).mean()
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch):
        self.log("val_loss", self.layer(batch).abs().mean() * 0 + 1.0, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


loader = DataLoader(torch.randn(64, 2), batch_size=8)
trainer = L.Trainer(
    max_epochs=10, callbacks=[EarlyStopping("val_loss", patience=2, verbose=True)], log_every_n_steps=1, logger=False
)
trainer.fit(Model(), loader, loader)

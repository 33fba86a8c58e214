"""Lightning: with_lightning.py HOW."""

import sys

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

how = sys.argv[1]


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def training_step(self, batch, index):
        loss = (self.layer(batch[0]) - batch[1]).pow(2).mean()
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, index):
        features = batch[0].repeat(1, 2) if how == "shape" and index == 1 else batch[0]
        self.log("val_loss", (self.layer(features) - batch[1]).pow(2).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


callbacks = []
if how == "fine-early-stop":
    callbacks = [EarlyStopping("val_loss", min_delta=9.0, patience=1)]
if how == "monitor":
    callbacks = [ModelCheckpoint(monitor="val_accuracy")]
trainer = lightning.Trainer(
    accelerator="cpu", max_epochs=4, logger=False, callbacks=callbacks, num_sanity_val_steps=0, log_every_n_steps=1
)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randn(32, 1)), batch_size=8)
trainer.fit(Model(), loader, loader, ckpt_path="runs/7/last.ckpt" if how == "resume" else None)
print("finished")

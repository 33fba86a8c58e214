"""`Trainer(callbacks=[LightningCallback()])` of Lightning, under either of its names.

https://lightning.ai/docs/pytorch/stable/extensions/callbacks.html
"""

from __future__ import annotations

import sys

from logsense.integrations.callbacks.monitor import Monitor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Both packages have a class of this name, and a Trainer takes only its own.
if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    from pytorch_lightning.callbacks import Callback
else:
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback


class LightningCallback(Callback):  # type: ignore[misc]
    """Watches a Trainer. `settings` are those of Monitor, or `monitor` is one."""

    def __init__(self, monitor: Monitor | None = None, **settings: Any) -> None:
        super().__init__()
        self.monitor = monitor or Monitor(**settings)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begins to watch. Without half precision, a gradient that is not finite is one too many."""
        if "16" not in str(trainer.precision) or "bf16" in str(trainer.precision):
            self.monitor.patience = 1
        self.monitor.start()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """A batch is finished; its step is the number of steps of the optimizer so far."""
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        self.monitor.step(loss, step=trainer.global_step)

    def on_validation_batch_end(self, *_: Any, **__: Any) -> None:
        """An evaluation goes on."""
        self.monitor.alive()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """An evaluation has ended."""
        self.monitor.alive()

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: Any) -> None:
        """A checkpoint is about to be written."""
        self.monitor.alive()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Ends watching."""
        self.monitor.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Ends watching; whoever explains the exception gets to know what was seen."""
        self.monitor.close(exception)

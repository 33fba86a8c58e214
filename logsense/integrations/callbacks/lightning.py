"""Watch a Lightning Trainer, under either of its package names: `Trainer(callbacks=[LightningCallback()])`.

https://lightning.ai/docs/pytorch/stable/extensions/callbacks.html
"""

from __future__ import annotations

import sys
from typing import Any

from logsense.integrations.callbacks.monitor import Monitor

# Both packages have this class, and a Trainer accepts only its own.
if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    from pytorch_lightning.callbacks import Callback
else:
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback


class LightningCallback(Callback):  # type: ignore[misc]
    """Watch a Trainer with `monitor`, or with a new Monitor with `settings`."""

    def __init__(self, monitor: Monitor | None = None, **settings: Any) -> None:
        super().__init__()
        self.monitor = monitor or Monitor(**settings)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Start watching. Without half precision, report the first gradient that is not finite."""
        if "16" not in str(trainer.precision) or "bf16" in str(trainer.precision):
            self.monitor.patience = 1
        self.monitor.start()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """Record a finished batch; its step is the number of optimizer steps so far."""
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        self.monitor.step(loss, step=trainer.global_step)

    def on_validation_batch_end(self, *_: Any, **__: Any) -> None:
        """Note an evaluation, or a checkpoint that is about to be written."""
        self.monitor.alive()

    on_validation_end = on_save_checkpoint = on_validation_batch_end

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Stop watching."""
        self.monitor.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Stop watching, and attach what was seen to the exception."""
        self.monitor.close(exception)

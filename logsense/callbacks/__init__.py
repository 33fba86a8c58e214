"""Watches a training loop from inside: tells of what goes wrong before it ends the run.

from logsense.callbacks import Monitor                  # any loop
from logsense.callbacks import TransformersCallback     # Trainer(..., callbacks=[TransformersCallback()])
from logsense.callbacks import LightningCallback        # Trainer(callbacks=[LightningCallback()])
from logsense.callbacks import AccelerateTracker        # Accelerator(log_with=AccelerateTracker())

A framework is imported only when its adapter is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.callbacks.accelerate import AccelerateTracker as AccelerateTracker
    from logsense.callbacks.lightning import LightningCallback as LightningCallback
    from logsense.callbacks.monitor import Monitor as Monitor
    from logsense.callbacks.told import Told as Told
    from logsense.callbacks.transformers import TransformersCallback as TransformersCallback

_MODULES = {
    "AccelerateTracker": "accelerate",
    "LightningCallback": "lightning",
    "Monitor": "monitor",
    "Told": "told",
    "TransformersCallback": "transformers",
}
__all__ = ["AccelerateTracker", "LightningCallback", "Monitor", "Told", "TransformersCallback"]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"logsense.callbacks.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

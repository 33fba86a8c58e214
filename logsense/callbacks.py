"""Watch a training loop from inside, and warn before a problem ends the run.

from logsense.callbacks import Monitor                  # any loop
from logsense.callbacks import TransformersCallback     # Trainer(..., callbacks=[TransformersCallback()])
from logsense.callbacks import LightningCallback        # Trainer(callbacks=[LightningCallback()])
from logsense.callbacks import AccelerateTracker        # Accelerator(log_with=AccelerateTracker())

A framework is imported only if its adapter is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.integrations.callbacks.accelerate import AccelerateTracker as AccelerateTracker
    from logsense.integrations.callbacks.alert import Alert as Alert
    from logsense.integrations.callbacks.lightning import LightningCallback as LightningCallback
    from logsense.integrations.callbacks.monitor import Monitor as Monitor
    from logsense.integrations.callbacks.transformers import TransformersCallback as TransformersCallback

_MODULES = {
    "AccelerateTracker": "accelerate",
    "LightningCallback": "lightning",
    "Monitor": "monitor",
    "Alert": "alert",
    "TransformersCallback": "transformers",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"logsense.integrations.callbacks.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

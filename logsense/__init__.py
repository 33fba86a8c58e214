"""Explains why a training run failed, from its log.

import logsense

print(logsense.explain("train.log"))        # a file, a folder of rank logs, an archive
logsense.explain("CUDA error: ...")         # a pasted text
try: ...
except Exception as error:
    print(logsense.explain(error))
logsense.install()                          # explains what ends this program, under its traceback
with logsense.watching(): ...               # explains what leaves the block
with logsense.Monitor() as monitor: ...     # tells of what goes wrong in a training loop, before it ends
"""

from __future__ import annotations

from logsense.util.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.api import Explanation as Explanation
    from logsense.api import explain as explain
    from logsense.api import explain_async as explain_async
    from logsense.integrations.callbacks.monitor import Monitor as Monitor
    from logsense.integrations.handler import LogHandler as LogHandler
    from logsense.integrations.hooks import install as install
    from logsense.integrations.hooks import uninstall as uninstall
    from logsense.integrations.hooks import watching as watching
    from logsense.share.notify.start import notify as notify

_MODULES = {
    "Explanation": "api",
    "LogHandler": "integrations.handler",
    "Monitor": "integrations.callbacks.monitor",
    "explain": "api",
    "explain_async": "api",
    "install": "integrations.hooks",
    "notify": "share.notify.start",
    "uninstall": "integrations.hooks",
    "watching": "integrations.hooks",
}
__all__ = [
    "Explanation",
    "LogHandler",
    "Monitor",
    "__version__",
    "explain",
    "explain_async",
    "install",
    "notify",
    "uninstall",
    "watching",
]


def __getattr__(name: str) -> object:
    # Importing this package costs a program next to nothing until it asks for something.
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"logsense.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext logsense` calls in IPython, Jupyter, Colab and Kaggle notebooks."""
    from logsense.integrations.notebook import load_ipython_extension as load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """What `%unload_ext logsense` calls."""
    from logsense.integrations.notebook import unload_ipython_extension as unload

    unload(shell)

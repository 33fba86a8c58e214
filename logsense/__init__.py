"""Explain why a training run failed, from its log.

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
    from logsense.integrations.notebook import load_ipython_extension as load_ipython_extension
    from logsense.integrations.notebook import unload_ipython_extension as unload_ipython_extension
    from logsense.share.notify.start import notify as notify
    from logsense.util.version import __version__ as __version__

_MODULES = {
    "Explanation": "api",
    "LogHandler": "integrations.handler",
    "Monitor": "integrations.callbacks.monitor",
    "__version__": "util.version",
    "explain": "api",
    "explain_async": "api",
    "install": "integrations.hooks",
    "load_ipython_extension": "integrations.notebook",  # what `%load_ext logsense` calls
    "notify": "share.notify.start",
    "uninstall": "integrations.hooks",
    "unload_ipython_extension": "integrations.notebook",
    "watching": "integrations.hooks",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    # Importing this package costs a program next to nothing until it asks for something.
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"logsense.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

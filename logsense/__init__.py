"""Explains why a training run failed, from its log.

import logsense

print(logsense.explain("train.log"))        # a file, a folder of rank logs, an archive
logsense.explain("CUDA error: ...")         # a pasted text
try: ...
except Exception as error:
    print(logsense.explain(error))
logsense.install()                          # explains what ends this program, under its traceback
"""

from __future__ import annotations

from logsense.model.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.api import Explanation as Explanation
    from logsense.api import explain as explain
    from logsense.api import install as install
    from logsense.api import uninstall as uninstall

__all__ = ["Explanation", "__version__", "explain", "install", "uninstall"]


def __getattr__(name: str) -> object:
    # Importing this package costs a program next to nothing until it asks for something.
    if name in __all__:
        from logsense import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext logsense` calls in IPython, Jupyter, Colab and Kaggle notebooks."""
    from logsense.notebook import load_ipython_extension as load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """What `%unload_ext logsense` calls."""
    from logsense.notebook import unload_ipython_extension as unload

    unload(shell)

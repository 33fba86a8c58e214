"""Whose a file is that a frame of a traceback names: the user's own, or one of Python or an installed package."""

from __future__ import annotations

from logsense.util.regexes import Lazy

# Frames of compiled modules name their source as the build did: h5py/h5o.pyx, mtrand.pyx.
_LIBRARY = Lazy(
    r"[/\\](?:site-packages|dist-packages|lib[/\\]python\d[\d.]*)[/\\]|^<|^(?![/\\~]|\w:|\.).*\.(?:pyx|pxi|pxd)$"
)
_SHIPPED = Lazy(r"[/\\](?:bin|Scripts)[/\\][^/\\]+$|[/\\](?i:python|anaconda|miniconda)[\d.]*[/\\][Ll]ib[/\\]")


def is_library(file: str) -> bool:
    """Return whether `file` belongs to an installed package or to Python."""
    return _LIBRARY.search(file) is not None


def is_own(file: str) -> bool:
    """Return whether `file` is the user's: of no package, not Python's, no installed command."""
    if file.startswith("<ipython-input"):
        return True
    return not is_library(file) and _SHIPPED.search(file) is None

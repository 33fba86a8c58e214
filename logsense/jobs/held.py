"""Hold signals back from the first moment on, until there is someone to take them."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` takes longer to import than all that runs before a job

_mask: set[int] | None = None


def hold() -> None:
    """Make every signal wait from now on."""
    global _mask
    if hasattr(_signal, "pthread_sigmask"):
        _mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())


def let_go() -> None:
    """Let signals come again, first of all those that waited."""
    global _mask
    if _mask is not None:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, _mask)
        _mask = None

"""Block signals from the first line of code until a handler is ready."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # importing `signal` takes longer than all other code that runs before a job

_mask: set[int] | None = None


def block() -> None:
    """Block all signals."""
    global _mask
    if hasattr(_signal, "pthread_sigmask"):
        _mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())


def unblock() -> None:
    """Unblock signals; those that are pending arrive first."""
    global _mask
    if _mask is not None:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, _mask)
        _mask = None

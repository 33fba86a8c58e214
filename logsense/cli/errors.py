"""Describe an error in one sentence."""

from __future__ import annotations

from logsense.cli.project import ConfigError
from logsense.util.errors import InputError


def error_message(error: Exception) -> str:
    """Return a sentence for the user. Unexpected errors ask to be reported."""
    if isinstance(error, (InputError, ConfigError)):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}"
    if isinstance(error, OSError):
        return str(error.strerror or error)
    if isinstance(error, MemoryError):
        return "out of memory"
    what = f"{type(error).__name__}: {error}"
    return f"internal error of logsense, please report it: {what} (LOGSENSE_DEBUG=1 shows the traceback)"

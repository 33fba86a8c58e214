"""One clear sentence for an error."""

from __future__ import annotations


def sentence(error: Exception) -> str:
    """What went wrong, for the user: expected errors speak for themselves, others ask to be reported."""
    from logsense.cli.project import ConfigError
    from logsense.util.errors import InputError

    if isinstance(error, (InputError, ConfigError)):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}"
    if isinstance(error, OSError):
        return str(error.strerror or error)
    if isinstance(error, MemoryError):
        return "out of memory"
    what = f"{type(error).__name__}: {error}"
    return f"an error of logsense itself, please report it: {what} (LOGSENSE_DEBUG=1 shows where)"

"""The errors for unreadable inputs, under their documented name."""

from logsense.util.errors import InputError, NoLogError

__all__ = ["InputError", "NoLogError"]

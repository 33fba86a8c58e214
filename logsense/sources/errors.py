"""The errors for inputs that can't be read, under the name that the documentation gives them."""

from logsense.util.errors import InputError, NoLogError

__all__ = ["InputError", "NoLogError"]

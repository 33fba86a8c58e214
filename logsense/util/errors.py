"""The errors for inputs that can't be read."""

from __future__ import annotations


class InputError(Exception):
    """An input can't be read. Its text is one clear line for the user."""


class NoLogError(InputError):
    """What was found is no log at all, but a binary file, or an archive of something else."""

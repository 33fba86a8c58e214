"""The errors for unreadable inputs."""

from __future__ import annotations


class InputError(Exception):
    """An input can't be read. The message is one clear line for the user."""


class NoLogError(InputError):
    """An input is not a log but a binary file, or an archive of something else."""

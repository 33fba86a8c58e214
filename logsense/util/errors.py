"""The errors for unreadable inputs, and how to ignore our own."""

from __future__ import annotations

import os


class InputError(Exception):
    """An input can't be read. The message is one clear line for the user."""


class NoFileError(InputError):
    """An input, `name`, looks like a path, but nothing is there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no such file: {name}")
        self.name = name


class NoLogError(InputError):
    """An input is not a log but a binary file, or an archive of something else."""


class IgnoredErrors:
    """Ignore the errors of a `with` block, unless LOGSENSE_DEBUG is set: what explains a program must not break it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, Exception) and not os.environ.get("LOGSENSE_DEBUG")

"""The messages that are shipped, as their files hold them. Reading them takes seconds, so each process does so once."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.signatures import decode_samples
from logsense.catalog.yaml_files import read_yaml
from logsense.model.signature import Sample


def programs() -> dict[str, Any]:
    """Return what the file of each program holds, by the name of its folder."""
    return {os.path.dirname(path): data for path, data in _files().items() if _is_program(path)}


def messages() -> dict[str, Any]:
    """Return what the file of each message holds, by its path within the corpus."""
    return {path: data for path, data in _files().items() if not _is_program(path)}


def samples_of(message: Any) -> list[Sample]:
    """Return the positive samples of a message."""
    return list(decode_samples(message, Problems())[0])


def _is_program(path: str) -> bool:
    return os.path.basename(path) == "_program.yaml"


@cache
def _files() -> dict[str, Any]:
    root = built_in("corpus")
    return {path: read_yaml(os.path.join(root, path))[0] for path, _ in listing(root)}

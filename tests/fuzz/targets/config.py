"""Settings files: any content yields settings or a one-sentence error."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from logsense.cli.settings import stored_settings
from logsense.util.errors import InputError

SEEDS = [
    b'[tool.logsense]\nformat = "json"\ncolor = "never"\nquiet = true\n',
    b'[tool.logsense]\nrules = "own/rules"\ncorpus = ["a", "b"]\nverbose = false\n',
    b'[project]\nname = "x"\n\n[tool]\nlogsense = 3\n',
    b"[[tool.logsense]]\nformat = 1979-05-27T07:32:00Z\n",
    b"[tool.logsense]\nformat = " + b"[" * 3000,
]


def seeds() -> list[bytes]:
    """Return valid and invalid settings."""
    return SEEDS


def run(data: bytes) -> None:
    """Read `data` as the settings of a project."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pyproject.toml").write_bytes(data)
        with suppress(InputError):
            stored_settings(folder)

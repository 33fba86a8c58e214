"""Runs command lines: in this process, which is quick, or in one of their own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from logsense.cli.main import main

Done = subprocess.CompletedProcess[str]


def modules(*folders: str | Path) -> str:
    """PYTHONPATH with `folders` in front of what it holds."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def own_settings(folder: Path, text: str) -> str:
    """Writes the user's config.toml below `folder`; gives XDG_CONFIG_HOME for it."""
    path = folder / "config" / "logsense" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(folder / "config")


def call(*arguments: str, cwd: Path, **more: str) -> Done:
    """What a command line prints and ends with, from the folder `cwd` and with the variables `more`."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = os.getcwd()
    os.chdir(cwd)
    try:
        with patch.dict(os.environ, more), redirect_stdout(out), redirect_stderr(err):
            status = main(list(arguments))
    finally:
        os.chdir(before)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(arguments, status, *texts)


def spawn(*arguments: str, cwd: Path, **more: str) -> Done:
    """The same in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "logsense", *arguments],
        capture_output=True, text=True, timeout=60, check=False, cwd=cwd, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **more},
    )  # fmt: skip

"""Runs command lines: in this process, which is fast, or in a separate one."""

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


def python_path(*folders: str | Path) -> str:
    """Return PYTHONPATH with `folders` in front."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def own_settings(folder: Path, text: str) -> str:
    """Write the user's config.toml in `folder`; return the XDG_CONFIG_HOME for it."""
    path = folder / "config" / "logsense" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(folder / "config")


def call(*arguments: str, cwd: Path, **variables: str) -> Done:
    """Run a command line in the folder `cwd` with extra variables; return its output and status."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = os.getcwd()
    os.chdir(cwd)
    try:
        with patch.dict(os.environ, variables), redirect_stdout(out), redirect_stderr(err):
            status = main(list(arguments))
    finally:
        os.chdir(before)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(arguments, status, *texts)


def spawn(*arguments: str, cwd: Path, **variables: str) -> Done:
    """Do the same in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "logsense", *arguments],
        capture_output=True, text=True, timeout=60, check=False, cwd=cwd, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **variables},
    )  # fmt: skip

"""Find the Python that a command will use, and its module search path."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from logsense.model.machine import Interpreter

LIMIT_S = 5.0
QUERY = (
    "import json, sys; print(json.dumps({'executable': sys.executable, 'version': sys.version.split()[0], "
    "'prefix': sys.prefix, 'base': sys.base_prefix, 'path': [p for p in sys.path if p]}))"
)
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?$")


def find_interpreter(command: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> str | None:
    """Return the path of the Python that `command` runs; if unknown, the one on the PATH."""
    environ = os.environ if environ is None else environ
    search = environ.get("PATH")
    words = list(command)
    for number, word in enumerate(words):
        if word == "uv" and words[number + 1 : number + 2] == ["run"]:
            local = os.path.join(environ.get("VIRTUAL_ENV") or ".venv", "bin", "python")
            if os.path.exists(local):
                return os.path.abspath(local)
        path = shutil.which(word, path=search)
        if path is None:
            continue
        if _PYTHON.match(os.path.basename(word)):
            return os.path.abspath(path)
        found = interpreter_of_script(path, search)
        if found:
            return found
    for name in ("python", "python3"):
        path = shutil.which(name, path=search)
        if path:
            return os.path.abspath(path)
    return None


def query_interpreter(executable: str, environ: Mapping[str, str] | None = None) -> tuple[Interpreter | None, str]:
    """Return the description of the Python at `executable`, or None and the reason."""
    environ = os.environ if environ is None else environ
    try:
        done = subprocess.run(
            [executable, "-c", QUERY],
            capture_output=True, timeout=LIMIT_S, check=False, stdin=subprocess.DEVNULL, env=dict(environ), cwd="/",
        )  # fmt: skip
        data = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return None, f"{executable} did not respond within {LIMIT_S:g} s"
    except (OSError, ValueError) as error:
        return None, f"{executable} can't be run: {error}"
    prefix, base = str(data["prefix"]), str(data["base"])
    kind = "conda" if os.path.isdir(os.path.join(prefix, "conda-meta")) else "venv" if prefix != base else "system"
    path = tuple(str(one) for one in data["path"])
    return Interpreter(str(data["executable"]), str(data["version"]), prefix, kind, path), ""


def interpreter_of_script(path: str, search: str | None) -> str | None:
    """Return the Python in the first lines of the script at `path`; pip writes long paths into the second line."""
    try:
        with open(path, "rb") as file:
            head = file.read(1024).decode("utf-8", "replace")
    except OSError:
        return None
    first, _, rest = head.partition("\n")
    if not first.startswith("#!"):
        return None
    words = first[2:].split()
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if words and os.path.basename(words[0]) in ("sh", "bash"):
        found = re.match(r"'''exec' \"?([^\"\n]+?)\"? \"\$0\"", rest)
        words = [found[1]] if found else []
    if not words or not _PYTHON.match(os.path.basename(words[0])):
        return None
    return words[0] if os.path.isabs(words[0]) else shutil.which(words[0], path=search)

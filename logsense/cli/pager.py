"""Show a long text in the user's pager, like git."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections.abc import Mapping
from shutil import which
from subprocess import PIPE, Popen
from types import FrameType
from typing import TextIO

from logsense.render.clean import AS_ASCII
from logsense.render.layout import width_of

# Quit if the text fits, pass colors through, leave the text on the screen: git's default.
LESS = "FRX"
NOT_STARTED = (126, 127)  # the exit statuses of env and shells if a program can't be run
# Links, which many pagers print as raw sequences.
_LINK = re.compile("\x1b\\]8;;[^\x1b]*\x1b\\\\")
_STYLE = re.compile("\x1b\\[[0-9;]*m")


def pager_command(environ: Mapping[str, str]) -> list[str] | None:
    """Return the pager's command line, split into words: LOGSENSE_PAGER, PAGER, or less.

    Return None if it is not installed, turned off (an empty value, or cat), or the terminal can't page.
    """
    if environ.get("TERM") == "dumb":
        return None
    wish = next((environ[name] for name in ("LOGSENSE_PAGER", "PAGER") if name in environ), "less")
    try:
        words = shlex.split(wish, posix=os.name != "nt")
    except ValueError:  # a quotation mark that is not closed
        return None
    if not words or words == ["cat"] or not which(words[0], path=environ.get("PATH")):
        return None
    # The user's LESS may lack the option for colors.
    return [*words, "-R"] if _is_less(words) and environ.get("LESS") else words


def is_foreground(stream: TextIO) -> bool:
    """Return whether this process is in the foreground of the terminal; a background pager would be stopped."""
    if sys.platform == "win32":
        return True
    try:
        return os.tcgetpgrp(stream.fileno()) == os.getpgrp()
    except OSError:
        return False


def fits(text: str, columns: int, rows: int) -> bool:
    """Return whether `text` and the next prompt fit into a terminal of `columns` and `rows`."""
    used = 0
    for line in _STYLE.sub("", _LINK.sub("", text)).splitlines():
        used += max(1, -(-width_of(line) // max(columns, 1)))
        if used >= rows:
            return False
    return True


def show(text: str, command: list[str], encoding: str) -> bool:
    """Show `text` in the pager `command` until the user quits it. Return False if it could not be started."""
    data = _LINK.sub("", text).encode(encoding, AS_ASCII)
    environ = {**os.environ}
    if _is_less(command):
        environ.setdefault("LESS", LESS)
        if encoding.lower().replace("-", "") == "utf8":
            environ.setdefault("LESSCHARSET", "utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    # Ctrl-C is for the pager: in many it stops a search. Unlike SIG_IGN, a function is not inherited.
    before = signal.signal(signal.SIGINT, _ignore)
    try:
        process = Popen(command, stdin=PIPE, env=environ)
        _send(process, data)
        return process.wait() not in NOT_STARTED
    except (OSError, ValueError):
        return False
    finally:
        signal.signal(signal.SIGINT, before)


def _ignore(_signal: int, _frame: FrameType | None) -> None:
    pass


def _send(process: Popen[bytes], data: bytes) -> None:
    assert process.stdin, "it was started with a pipe"
    try:
        process.stdin.write(data)
    except OSError:  # the user has quit
        pass
    try:
        process.stdin.close()
    except OSError:
        pass


def _is_less(command: list[str]) -> bool:
    return os.path.splitext(os.path.basename(command[0]))[0] == "less"

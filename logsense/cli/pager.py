"""Shows a long text in the user's pager, as git does: what fits the screen is left to the caller."""

from __future__ import annotations

import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen
    from types import FrameType
    from typing import TextIO

# Quit if it fits, pass colours on, leave the text on the screen: what git sets where the user has set nothing.
LESS = "FRX"
NOT_STARTED = (126, 127)  # what env and shells end with where a program can't be run
# Links, which many pagers print as what they are. Only our own stand in a text.
_LINK = re.compile("\x1b\\]8;;[^\x1b]*\x1b\\\\")
_STYLE = re.compile("\x1b\\[[0-9;]*m")


def pager_command(environ: Mapping[str, str]) -> list[str] | None:
    """The words of the pager's command line: LOGSENSE_PAGER, else PAGER, else less where it is installed.

    None where there is none, where the user wants none (an empty value, or cat), or where the terminal can't page.
    """
    import shlex
    from shutil import which

    if environ.get("TERM") == "dumb":
        return None
    wish = next((environ[name] for name in ("LOGSENSE_PAGER", "PAGER") if name in environ), "less")
    try:
        words = shlex.split(wish, posix=os.name != "nt")
    except ValueError:  # a quotation mark that is not closed
        return None
    if not words or words == ["cat"] or not which(words[0], path=environ.get("PATH")):
        return None
    # A user's own LESS may lack what shows colours.
    return [*words, "-R"] if _is_less(words) and environ.get("LESS") else words


def is_in_front(stream: TextIO) -> bool:
    """Whether the terminal behind `stream` listens to us; a pager in the background would be stopped."""
    if sys.platform == "win32":
        return True
    try:
        return os.tcgetpgrp(stream.fileno()) == os.getpgrp()
    except OSError:
        return False


def fits(text: str, columns: int, rows: int) -> bool:
    """Whether a terminal of `columns` and `rows` can show all of `text` above the prompt that follows."""
    from logsense.render.layout import width_of

    used = 0
    for line in _STYLE.sub("", _LINK.sub("", text)).splitlines():
        used += max(1, -(-width_of(line) // max(columns, 1)))
        if used >= rows:
            return False
    return True


def show(text: str, command: list[str], encoding: str) -> bool:
    """Shows `text` by the pager `command`, until the user leaves it; False where it could not be started."""
    import signal
    from subprocess import PIPE, Popen

    from logsense.render.clean import AS_ASCII

    data = _LINK.sub("", text).encode(encoding, AS_ASCII)
    environ = {**os.environ}
    if _is_less(command):
        environ.setdefault("LESS", LESS)
        if encoding.lower().replace("-", "") == "utf8":
            environ.setdefault("LESSCHARSET", "utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    # Ctrl-C is the pager's own affair: many take it for "stop searching". A function is not inherited, as SIG_IGN is.
    before = signal.signal(signal.SIGINT, _nothing)
    try:
        process = Popen(command, stdin=PIPE, env=environ)
        _feed(process, data)
        return process.wait() not in NOT_STARTED
    except (OSError, ValueError):
        return False
    finally:
        signal.signal(signal.SIGINT, before)


def _nothing(_signal: int, _frame: FrameType | None) -> None:
    pass


def _feed(process: Popen[bytes], data: bytes) -> None:
    assert process.stdin, "it was started with a pipe"
    try:
        process.stdin.write(data)
    except OSError:  # the user has seen enough
        pass
    try:
        process.stdin.close()
    except OSError:
        pass


def _is_less(command: list[str]) -> bool:
    return os.path.splitext(os.path.basename(command[0]))[0] == "less"

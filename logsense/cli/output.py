"""Write output, and show progress; detect what the destination can show: colors, width, characters."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from logsense.cli.options import Settings
from logsense.model.values import to_count
from logsense.render.clean import AS_ASCII, one_line
from logsense.render.layout import USUAL_COLUMNS, Look
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from rich.progress import Progress

MOST_NAMED = 3  # inputs in a suggested command
COMPILING = "compiling messages and rules, once"
NOT_STARTED = (126, 127)  # the exit statuses of env and shells if a program can't be run
# Formats that declare their encoding themselves.
_DECLARE_UTF8 = ("html", "junit")


def look_of(stream: TextIO, settings: Settings, details_command: str = "") -> Look:
    """Return the appearance of text on `stream`, or in the output file of `settings`.

    `details_command` shows the whole report, if it does not follow from `settings`.
    """
    terminal = not settings.output and is_terminal(stream)
    inputs = "" if details_command else _input_words(settings)
    return Look(
        width=_width(stream if terminal else None),
        color=_color(settings.color, terminal),
        unicode=bool(settings.output) or _is_utf8(stream.encoding or ""),
        verbose=settings.verbose,
        links=terminal and _shows_links(os.environ),
        details_command=details_command or f"logsense -v {inputs or _kind_of_input(settings)}".rstrip(),
        inputs=inputs,
    )


def _input_words(settings: Settings) -> str:
    """Return the input files of `settings` as shell words; empty if there are none or too many."""
    if not 0 < len(settings.inputs) <= MOST_NAMED or not all(os.path.lexists(one) for one in settings.inputs):
        return ""
    return shell_words(settings.inputs)


def shell_words(names: Sequence[str]) -> str:
    """Return the names of files as words of a shell, on one line, none of which is taken for an option.

    What is not printable, or would be shortened, is written as bytes: $'a\\012b.log'.
    """
    from shlex import quote

    words = []
    for name in names:
        path = f"./{name}" if name.startswith("-") and name != "-" else name
        word = quote(path)
        words.append(word if one_line(word) == word else f"$'{''.join(map(_escaped, os.fsencode(path)))}'")
    return " ".join(words)


def _escaped(byte: int) -> str:
    char = chr(byte)
    return char if char.isascii() and (char.isalnum() or char in "/._-+=:,@%") else f"\\{byte:03o}"


def _kind_of_input(settings: Settings) -> str:
    """Return what stands for the inputs of `settings` in a command that can't name them."""
    if not settings.inputs or settings.inputs == ("-",):
        return " ".join(settings.inputs)
    return "FILE…" if all(os.path.lexists(one) for one in settings.inputs) else "'TEXT'"


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` is an open terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # closed


def write(answer: str | bytes, stream: TextIO, settings: Settings) -> None:
    """Write `answer` to the output file of `settings`, or else to `stream`, a text in its encoding.

    Raise OSError if that fails; text for a file is written to standard error then.
    """
    if settings.output:
        try:
            with open(settings.output, "wb") as file:
                file.write(answer.encode() if isinstance(answer, str) else answer)
        except OSError as error:
            if isinstance(answer, str):
                write(answer, sys.stderr, settings._replace(output=None))
            # The error of a full disk has no file name.
            raise OSError(error.errno, error.strerror, settings.output) from None
        return
    stream.flush()
    if hasattr(stream, "buffer"):
        encoding = stream.encoding or "utf-8"
        stream.buffer.write(_encoded(answer, encoding, settings.format) if isinstance(answer, str) else answer)
    else:
        stream.write(str(answer))
    stream.flush()


def _encoded(text: str, encoding: str, format: str) -> bytes:
    if format in _DECLARE_UTF8 and not _is_utf8(encoding):
        return text.encode("ascii", "xmlcharrefreplace")
    return text.encode(encoding, AS_ASCII)


def show(text: str, stream: TextIO, settings: Settings, *, from_end: bool = False) -> None:
    """Write `text` like `write`, but in the user's pager, like git, if it is longer than the terminal.

    With `from_end`, `less` begins with the end, where a survey has its totals.
    """
    # --exit-code is for scripts, which have no reader.
    wanted = settings.pager == "auto" and settings.format == "text" and not settings.output and not settings.exit_code
    if wanted and stream is sys.stdout and is_terminal(stream) and os.environ.get("TERM") != "dumb":
        size = _size(stream)
        if size and 0 < size[1] <= text.count("\n") and _show_in_pager(text, stream.encoding or "utf-8", from_end):
            return
    write(text, stream, settings)


def _show_in_pager(text: str, encoding: str, from_end: bool) -> bool:
    """Show `text` until the user quits the pager. Return False if there is none, or if it can't be started."""
    import shlex
    import signal
    from subprocess import run

    wish = next((os.environ[name] for name in ("LOGSENSE_PAGER", "PAGER") if name in os.environ), "less")
    text = re.sub("\x1b\\]8;;[^\x1b]*\x1b\\\\", "", text)  # links, which many pagers print as raw sequences
    # Ctrl-C is for the pager: in many it stops a search. Unlike SIG_IGN, a function is not inherited.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        words = shlex.split(wish, posix=os.name != "nt")
        if not words or words == ["cat"]:
            return False
        # As git does: less quits if the text fits, passes colors through, and leaves the text on the screen.
        less = "FRX +G" if from_end else "FRX"
        done = run(words, input=text.encode(encoding, AS_ASCII), env={"LESS": less, **os.environ}, check=False)
        return done.returncode not in NOT_STARTED
    except (OSError, ValueError):  # not installed, or a quotation mark that is not closed
        return False
    finally:
        signal.signal(signal.SIGINT, before)


def note(sentence: str, settings: Settings | None = None, line_end: str = "") -> None:
    """Print a note on standard error, unless `settings` ask for quiet. `line_end` ends the line above it."""
    if settings is None or not settings.quiet:
        try:
            print(f"{line_end}logsense: {one_line(sentence)}", file=sys.stderr, flush=True)
        except (OSError, ValueError):  # the disk is full, or standard error is closed
            return


def error_message(error: Exception) -> str:
    """Return a sentence for the user. Unexpected errors ask to be reported."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        said = str(error.strerror or error)
        return said if error.filename is None else f"{error.filename}: {said}"
    if isinstance(error, MemoryError):
        return "out of memory"
    what = f"{type(error).__name__}: {error}"
    return f"internal error of logsense, please report it: {what} (LOGSENSE_DEBUG=1 shows the traceback)"


def _color(wish: str, terminal: bool) -> bool:
    if wish != "auto":
        return wish == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


# Terminals that support links (OSC 8). Others mostly ignore them, but some print the sequence.
# https://github.com/Alhadis/OSC8-Adoption
_LINKING = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "mintty", "WarpTerminal")
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")
_LEAST_VTE = 5000  # 0.50


def _shows_links(environ: Mapping[str, str]) -> bool:
    """Return whether the terminal shows links; FORCE_HYPERLINK overrides the detection."""
    wish = environ.get("FORCE_HYPERLINK", "")
    if wish:
        return wish != "0"
    if environ.get("TERM") == "dumb" or environ.get("TERM", "").startswith(("screen", "tmux")):
        return False
    vte = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM") in _LINKING
        or environ.get("TERM", "").startswith(_LINKING_TERMS)
        or bool(environ.get("WT_SESSION") or environ.get("KONSOLE_VERSION") or environ.get("DOMTERM"))
        or (to_count(vte) or 0) >= _LEAST_VTE
    )


def _width(terminal: TextIO | None) -> int:
    wish = to_count(os.environ.get("COLUMNS", ""))
    if wish:
        return wish
    size = _size(terminal) if terminal else None
    return (size and size[0]) or USUAL_COLUMNS


def _size(terminal: TextIO) -> tuple[int, int] | None:
    """Return the columns and rows of the terminal at `terminal`, or None if they are unknown."""
    try:
        size = os.get_terminal_size(terminal.fileno())
    except (OSError, ValueError):
        return None
    return size.columns, size.lines


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").startswith("utf")


PATIENCE_S = 1.0


class ProgressBar:
    """Show how much was read, if it takes longer than `patience_s`. The bar disappears at the end."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._start_s, self._patience_s = time.monotonic(), patience_s
        self._bar: Progress | None = None

    def __enter__(self) -> Callable[[int, int | None], None]:
        """Return a function that takes the bytes done and the total bytes (None: unknown)."""
        return self._show

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def _show(self, done: int, total: int | None) -> None:
        if self._bar is None and time.monotonic() - self._start_s >= self._patience_s:
            from rich import progress
            from rich.console import Console

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(bar_width=None),
                progress.DownloadColumn(binary_units=True),
                progress.TransferSpeedColumn(),
                progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._bar.add_task("reading", total=total)
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=done, total=total)

"""Write output, and detect what its destination can show: colors, width, characters."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from logsense.cli.options import Settings
from logsense.model.values import to_count
from logsense.render.clean import AS_ASCII, one_line
from logsense.render.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

PIPED_WIDTH = 100
MOST_NAMED = 3  # inputs in a suggested command
COMPILING = "compiling messages and rules, once"
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
        details_command=details_command or (f"logsense -v {inputs}" if inputs else "--verbose"),
        inputs=inputs,
    )


def _input_words(settings: Settings) -> str:
    """Return the input files of `settings` as shell words; empty if there are none or too many."""
    if not 0 < len(settings.inputs) <= MOST_NAMED or not all(os.path.exists(one) for one in settings.inputs):
        return ""
    from shlex import join

    return join(settings.inputs)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` is an open terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # closed


def write(text: str, stream: TextIO, settings: Settings) -> None:
    """Write `text` to the output file of `settings`, or else to `stream`, in its encoding.

    Raise OSError if that fails; text for a file is written to standard error then.
    """
    if settings.output:
        try:
            with open(settings.output, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            write(text, sys.stderr, settings._replace(output=None))
            # The error of a full disk has no file name.
            raise OSError(error.errno, error.strerror, settings.output) from None
        return
    stream.flush()
    encoding = stream.encoding or "utf-8"
    if hasattr(stream, "buffer"):
        stream.buffer.write(_encoded(text, encoding, settings.format))
    else:
        stream.write(text)
    stream.flush()


def _encoded(text: str, encoding: str, format: str) -> bytes:
    if format in _DECLARE_UTF8 and not _is_utf8(encoding):
        return text.encode("ascii", "xmlcharrefreplace")
    return text.encode(encoding, AS_ASCII)


def show(text: str, stream: TextIO, settings: Settings) -> None:
    """Write `text` like `write`, but page it if it is longer than the terminal."""
    if stream is sys.stdout and is_terminal(stream) and _wants_pager(settings):
        from logsense.cli import pager

        command = pager.pager_command(os.environ)
        size = _size(stream)
        is_needed = command and size and size[1] and pager.is_foreground(stream) and not pager.fits(text, *size)
        if command and is_needed and pager.show(text, command, stream.encoding or "utf-8"):
            return
    write(text, stream, settings)


def _wants_pager(settings: Settings) -> bool:
    # --exit-code is for scripts, which have no reader.
    return settings.pager == "auto" and settings.format == "text" and not settings.output and not settings.exit_code


def note(sentence: str, settings: Settings | None = None) -> None:
    """Print a note on standard error, unless `settings` ask for quiet."""
    if settings is None or not settings.quiet:
        try:
            print(f"logsense: {one_line(sentence)}", file=sys.stderr, flush=True)
        except (OSError, ValueError):  # the disk is full, or standard error is closed
            return


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
    return (size and size[0]) or PIPED_WIDTH


def _size(terminal: TextIO) -> tuple[int, int] | None:
    """Return the columns and rows of the terminal at `terminal`, or None if they are unknown."""
    try:
        size = os.get_terminal_size(terminal.fileno())
    except (OSError, ValueError):
        return None
    return size.columns, size.lines


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").startswith("utf")

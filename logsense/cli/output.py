"""Where the answer goes, and what can be shown there: colours, width, characters."""

from __future__ import annotations

import os
import sys

from logsense.model.values import to_count
from logsense.render.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

    from logsense.cli.options import Settings

PIPED_WIDTH = 100
MOST_NAMED = 3  # inputs in a command that is shown
COMPILING = "compiling messages and rules, once"
# They state their own encoding, whatever that of the stream is.
_SAY_UTF8 = ("html", "junit")


def look_of(stream: TextIO, settings: Settings, again: str = "") -> Look:
    """How text has to look that is written to `stream`, or to the file that `settings` name instead.

    `again` is the command that shows the whole of it, where `settings` don't tell.
    """
    terminal = not settings.output and is_terminal(stream)
    inputs = "" if again else _named(settings)
    return Look(
        width=_width(stream if terminal else None),
        color=_color(settings.color, terminal),
        unicode=bool(settings.output) or _speaks_unicode(stream),
        verbose=settings.verbose,
        links=terminal and _knows_links(os.environ),
        again=again or (f"logsense -v {inputs}" if inputs else "--verbose"),
        inputs=inputs,
    )


def _named(settings: Settings) -> str:
    """Return the files that `settings` name as shell words; empty if there are none or too many."""
    if not 0 < len(settings.inputs) <= MOST_NAMED or not all(os.path.exists(one) for one in settings.inputs):
        return ""
    from shlex import join

    return join(settings.inputs)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at `stream`, or types into it."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # closed


def write(text: str, stream: TextIO, settings: Settings) -> None:
    """Writes `text` to the file that `settings` name, or else to `stream`, in what encoding either has.

    Raises OSError where that can't be; what was meant for a file is on standard error then.
    """
    if settings.output:
        try:
            with open(settings.output, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            write(text, sys.stderr, settings._replace(output=None))  # the answer is not lost
            # Of a full disk it does not say which file could not be written.
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
    if format in _SAY_UTF8 and not _is_utf8(encoding):
        return text.encode("ascii", "xmlcharrefreplace")
    from logsense.render.clean import AS_ASCII

    return text.encode(encoding, AS_ASCII)


def show(text: str, stream: TextIO, settings: Settings) -> None:
    """Writes `text` as `write` does; what is longer than a person's terminal goes through the pager."""
    if stream is sys.stdout and is_terminal(stream) and _wants_pager(settings):
        from logsense.cli import pager

        command = pager.pager_command(os.environ)
        size = _size(stream)
        asked = command and size and size[1] and pager.is_in_front(stream) and not pager.fits(text, *size)
        if command and asked and pager.show(text, command, stream.encoding or "utf-8"):
            return
    write(text, stream, settings)


def _wants_pager(settings: Settings) -> bool:
    # Who asks for an exit status is a script, which nobody watches.
    return settings.pager == "auto" and settings.format == "text" and not settings.output and not settings.exit_code


def note(sentence: str, settings: Settings | None = None) -> None:
    """Says something beside the answer, on standard error, unless the user wants quiet."""
    if settings is None or not settings.quiet:
        from logsense.render.clean import one_line

        try:
            print(f"logsense: {one_line(sentence)}", file=sys.stderr, flush=True)
        except (OSError, ValueError):  # the disk is full, or nobody listens
            return


def _color(wish: str, terminal: bool) -> bool:
    if wish != "auto":
        return wish == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


# Terminals that show OSC 8 as a link; others mostly ignore it, but some print it.
# https://github.com/Alhadis/OSC8-Adoption
_LINKING = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "mintty", "WarpTerminal")
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")
_LEAST_VTE = 5000  # 0.50


def _knows_links(environ: Mapping[str, str]) -> bool:
    """Whether the terminal can show links; FORCE_HYPERLINK decides where it is set."""
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
    """The columns and rows of the terminal behind a stream; None where it does not tell."""
    try:
        size = os.get_terminal_size(terminal.fileno())
    except (OSError, ValueError):
        return None
    return size.columns, size.lines


def _speaks_unicode(stream: TextIO) -> bool:
    return _is_utf8(stream.encoding or "")


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").startswith("utf")

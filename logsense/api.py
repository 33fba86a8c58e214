"""logsense as a library: the answer to a log, a text or an exception, and hooks for programs that fail."""

from __future__ import annotations

import os
import sys
import threading
from io import BytesIO

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain as explain_sources
from logsense.pipeline import explain_text
from logsense.render.formats import render
from logsense.render.look import Look as Appearance
from logsense.sources.resolve import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Any

    from logsense.model.catalog import Catalog
    from logsense.model.live import Live
    from logsense.model.report import Diagnosis, Report
    from logsense.pipeline import Look

    What = str | bytes | os.PathLike[str] | BaseException | Sequence[str | os.PathLike[str]]

# An exception is explained as soon as it is raised: what the kernel said earlier was of something else.
JUST_NOW_S = 30.0
_hooks: dict[str, Any] = {}


class Explanation:
    """The answer for one input: `report` has all of it as values, printing it gives the text for people.

    True where a failure was found. A notebook shows it as HTML.
    """

    def __init__(self, report: Report) -> None:
        self.report = report

    @property
    def outcome(self) -> str:
        """What became of the run: failed, completed, running or unknown."""
        return self.report.outcome

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """The causes, most likely first."""
        return self.report.diagnoses

    @property
    def cause(self) -> str | None:
        """The id of the most likely cause; None where there is none."""
        return self.report.diagnoses[0].cause if self.report.diagnoses else None

    def write(self, format: str = "text", *, width: int = 100, color: bool = False, verbose: bool = False) -> str:
        """The answer as text, json, markdown, github, html, sarif, junit or prompt; a prompt is always redacted."""
        report = self.redacted().report if format == "prompt" else self.report
        return render(report, format, Appearance(width=width, color=color, verbose=verbose))

    def redacted(self) -> Explanation:
        """The same answer without secrets and without names of people and machines; `report.masked` lists the masks."""
        from logsense.sharing import redacted

        return self if self.report.masked is not None else Explanation(redacted(self.report, load_catalog()))

    def __bool__(self) -> bool:
        return self.report.outcome == "failed"

    def __str__(self) -> str:
        return self.write().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Explanation: {self.outcome}{f', {self.cause}' if self.cause else ''}>"

    def _repr_html_(self) -> str:
        from logsense.render.card import render_card

        return render_card(self.report)


def explain(what: What, *, rules: str | None = None, corpus: str | None = None, live: bool = False) -> Explanation:
    """Why a run failed.

    `what` is the path or address (s3://…) of a log, a folder of rank logs or an archive, several of them, the text of
    a log (str or bytes), or an exception. `rules` and `corpus` are folders with a team's own knowledge. With `live`,
    the state of this machine counts too: where the run failed here, and just now. Nothing is sent anywhere; only an
    address is asked for its logs.
    Raises InputError where a file can't be read.
    """
    catalog = load_catalog(rules, corpus)
    if isinstance(what, BaseException):
        return Explanation(_of_exception(what, catalog, look_here if live else None))
    if isinstance(what, bytes):
        return Explanation(explain_text(what, catalog, look=look_here if live else None))
    if isinstance(what, (str, os.PathLike)):
        what = [what]
    sources = resolve([os.fspath(one) for one in what], stdin=BytesIO())
    return Explanation(explain_sources(sources, catalog, look=look_here if live else None))


def look_here() -> Live:
    """What this machine shows now, and what its kernel said in the last seconds."""
    from logsense.machine.now import look

    return look(since_s=JUST_NOW_S)


def worth_telling(found: Explanation) -> bool:
    """Whether the answer says more than the traceback that the user has just seen."""
    return bool(found.diagnoses) and not found.diagnoses[0].restates


def install(*, format: str = "text") -> None:
    """Explains every exception that ends this program or one of its threads, on standard error, below its traceback.

    The hooks that were there before are called first and stay as they are; calling it twice changes nothing.
    Where explaining fails, nothing more is printed: the traceback is what counts.
    """
    if _hooks:
        return
    _hooks["main"], _hooks["thread"] = sys.excepthook, threading.excepthook

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _hooks["main"](kind, error, trace)
        _tell(error, format)

    def on_thread(arguments: threading.ExceptHookArgs) -> None:
        _hooks["thread"](arguments)
        if arguments.exc_value is not None:
            _tell(arguments.exc_value, format)

    _hooks["ours"] = (on_exception, on_thread)
    sys.excepthook, threading.excepthook = on_exception, on_thread


def uninstall() -> None:
    """Undoes `install`, unless somebody else put a hook on top meanwhile."""
    if not _hooks:
        return
    on_exception, on_thread = _hooks["ours"]
    if sys.excepthook is on_exception:
        sys.excepthook = _hooks["main"]
    if threading.excepthook is on_thread:
        threading.excepthook = _hooks["thread"]
    _hooks.clear()


def _tell(error: BaseException, format: str) -> None:
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        return
    try:
        found = Explanation(_of_exception(error, load_catalog()))
        if worth_telling(found) and sys.stderr is not None:
            terminal = sys.stderr.isatty()
            width = os.get_terminal_size(sys.stderr.fileno()).columns if terminal else 100
            color = terminal and not os.environ.get("NO_COLOR")
            sys.stderr.write("\n" + found.write(format, width=width or 100, color=color))
            sys.stderr.flush()
    except Exception:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise


def _of_exception(error: BaseException, catalog: Catalog, look: Look | None = None) -> Report:
    from traceback import format_exception

    text = "".join(format_exception(type(error), error, error.__traceback__))
    return explain_text(text.encode("utf-8", "replace"), catalog, name="traceback", look=look)

"""logsense as a library: the answer to a log, a text or an exception."""

from __future__ import annotations

import os
from io import BytesIO
from types import MappingProxyType

from logsense.catalog.load import load_catalog
from logsense.machine.host.processes import tree
from logsense.machine.now import look
from logsense.pipeline import explain_text
from logsense.recorder.monitor_notes import notes_of
from logsense.render.card import render_card
from logsense.render.formats import render
from logsense.render.look import Look as Appearance
from logsense.share.bundle import redacted
from logsense.sources.find import resolve
from logsense.survey.apart import explain_apart, told_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logsense.model.knowledge import Catalog
    from logsense.model.live import Live
    from logsense.model.report import Diagnosis, Report
    from logsense.pipeline import Look

    What = str | bytes | os.PathLike[str] | BaseException | Sequence[str | os.PathLike[str]]

# An exception is explained as soon as it is raised: what the kernel said earlier was of something else.
JUST_NOW_S = 30.0
_NONE: Mapping[str, Explanation] = MappingProxyType({})


class Explanation:
    """The answer for one input: `report` has all of it as values, printing it gives the text for people.

    True where a failure was found. A notebook shows it as HTML. Of the logs of several jobs, this is the answer for the
    first that failed; `jobs` has those for all of them, by name.
    """

    def __init__(self, report: Report, jobs: Mapping[str, Explanation] = _NONE) -> None:
        self.report, self.jobs = report, jobs

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
        return self if self.report.masked is not None else Explanation(redacted(self.report, load_catalog()))

    def __bool__(self) -> bool:
        return self.report.outcome == "failed"

    def __str__(self) -> str:
        several = f"These look like the logs of {len(self.jobs)} jobs: {', '.join(self.jobs)}\n\n" if self.jobs else ""
        return several + self.write().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Explanation: {self.outcome}{f', {self.cause}' if self.cause else ''}>"

    def _repr_html_(self) -> str:
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
        return of_exception(what, look_at_us if live else None, catalog)
    if isinstance(what, bytes):
        return Explanation(explain_text(what, catalog, look=look_here if live else None))
    if isinstance(what, (str, os.PathLike)):
        what = [what]
    sources = resolve([os.fspath(one) for one in what], stdin=BytesIO())
    jobs = explain_apart(sources, catalog, look=look_here if live else None)
    answers = {job.name: Explanation(job.report) for job in jobs}
    return Explanation(told_of(jobs).report, answers if len(jobs) > 1 else _NONE)


async def explain_async(
    what: What, *, rules: str | None = None, corpus: str | None = None, live: bool = False
) -> Explanation:
    """`explain` in a thread of its own, so that an event loop goes on meanwhile."""
    from asyncio import to_thread

    return await to_thread(explain, what, rules=rules, corpus=corpus, live=live)


def look_here() -> Live:
    """What this machine shows now, and what its kernel said in the last seconds."""
    return look(since_s=JUST_NOW_S)


def look_at_us() -> Live:
    """The same, for a failure of this program: its own processes are the job's."""
    return look(tree(os.getpid()), since_s=JUST_NOW_S)


def worth_telling(found: Explanation) -> bool:
    """Whether the answer says more than the traceback that the user has just seen."""
    return bool(found.diagnoses) and not found.diagnoses[0].restates


def of_exception(
    error: BaseException, look: Look | None = None, catalog: Catalog | None = None, *, before: str = ""
) -> Explanation:
    """Why `error` was raised, with what was printed `before`, and with what a monitor saw of the run."""
    from traceback import format_exception

    text = "".join(format_exception(type(error), error, error.__traceback__))
    name, saw = "traceback", notes_of(error)
    if before.strip():
        text, name = f"{before}\n{text}", "cell"
    if saw:
        text, look, name = saw.lines() + text, saw.look, "this program"
    catalog = catalog or load_catalog()
    return Explanation(explain_text(text.encode("utf-8", "replace"), catalog, name=name, look=look))

"""The Python API: explain a log, a text or an exception."""

from __future__ import annotations

import os
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from io import BytesIO
from traceback import format_exception
from types import MappingProxyType
from warnings import warn

from logsense.catalog.load import load_catalog
from logsense.machine.host.processes import tree
from logsense.machine.now import read_machine
from logsense.pipeline import explain_text
from logsense.recorder.monitor_notes import notes_of
from logsense.render.formats import render
from logsense.render.html import render_card
from logsense.render.layout import USUAL_COLUMNS
from logsense.render.layout import Look as Appearance
from logsense.share.bundle import redacted
from logsense.sources.find import resolve
from logsense.survey.several_jobs import explain_apart, job_to_explain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.knowledge import Catalog
    from logsense.model.live import Live
    from logsense.model.report import Diagnosis, Report
    from logsense.pipeline import Look as LookAtMachine

    What = str | bytes | os.PathLike[str] | BaseException | Sequence[str | os.PathLike[str]]

# An exception is explained right after it is raised, so older kernel messages are unrelated.
KERNEL_LOG_S = 30.0
_NONE: Mapping[str, Explanation] = MappingProxyType({})


class Explanation:
    """The explanation of one input. `report` has all values; `str()` gives the text.

    It is true if the run failed. Notebooks show it as HTML. Of the logs of several jobs, this is the answer for the
    first that failed; `jobs` has those for all of them, by name.
    """

    def __init__(self, report: Report, jobs: Mapping[str, Explanation] = _NONE) -> None:
        self.report, self.jobs = report, jobs

    @property
    def outcome(self) -> str:
        """The outcome of the run: failed, completed, running or unknown."""
        return self.report.outcome

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """The causes, most likely first."""
        return self.report.diagnoses

    @property
    def cause(self) -> str | None:
        """The id of the most likely cause, or None."""
        return self.report.diagnoses[0].cause if self.report.diagnoses else None

    def write(
        self, format: str = "text", *, width: int = USUAL_COLUMNS, color: bool = False, verbose: bool = False
    ) -> str:
        """Return the explanation as text, json, markdown, github, html, sarif, junit or prompt.

        `width` (in columns), `color` and `verbose` apply to text. A prompt is always redacted.
        """
        report = self.redacted().report if format == "prompt" else self.report
        return render(report, format, Appearance(width=width, color=color, verbose=verbose))

    def redacted(self) -> Explanation:
        """Return a copy with secrets and the names of people and machines masked; `report.masked` lists the masks."""
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
    """Explain why a run failed.

    `what` is the path or address (s3://…) of a log, a folder of rank logs or an archive, or several of them; the text
    of a log (str or bytes); or an exception. `rules` and `corpus` are folders with your own rules and signatures.
    `live` takes the state of this machine into account, for a run that failed here just now. Nothing is sent anywhere;
    only logs at an address are fetched.
    Raise InputError if a log can't be read; warn of each file of `rules` and `corpus` that is ignored.
    """
    catalog = load_catalog(rules, corpus)
    for problem in catalog.problems:
        warn(f"ignored: {problem}", stacklevel=2)
    if isinstance(what, BaseException):
        return explain_exception(what, look_at_process if live else None, catalog)
    if isinstance(what, bytes):
        return Explanation(explain_text(what, catalog, look=look_at_machine if live else None))
    if isinstance(what, (str, os.PathLike)):
        what = [what]
    sources = resolve([os.fspath(one) for one in what], stdin=BytesIO())
    jobs = explain_apart(sources, catalog, look=look_at_machine if live else None)
    answers = {job.name: Explanation(job.report) for job in jobs}
    return Explanation(job_to_explain(jobs).report, answers if len(jobs) > 1 else _NONE)


async def explain_async(
    what: What, *, rules: str | None = None, corpus: str | None = None, live: bool = False
) -> Explanation:
    """Run `explain` in a thread, without blocking the event loop."""
    return await to_thread(explain, what, rules=rules, corpus=corpus, live=live)


def look_at_machine() -> Live:
    """Return the state of this machine, with the kernel messages of the last `KERNEL_LOG_S` seconds."""
    return read_machine(since_s=KERNEL_LOG_S)


def look_at_process() -> Live:
    """Return the same with this process and its children as the job, for a failure of this program."""
    return read_machine(tree(os.getpid()), since_s=KERNEL_LOG_S)


def adds_to_traceback(found: Explanation) -> bool:
    """Return whether the explanation says more than the traceback that the user has just seen."""
    return bool(found.diagnoses) and not found.diagnoses[0].restates


def explain_exception(
    error: BaseException, look: LookAtMachine | None = None, catalog: Catalog | None = None, *, output: str = ""
) -> Explanation:
    """Explain why `error` was raised. `output` is what the program printed before; the notes of a monitor count too."""
    text = "".join(format_exception(type(error), error, error.__traceback__))
    name, notes = "traceback", notes_of(error)
    if output.strip():
        text, name = f"{output}\n{text}", "cell"
    if notes:
        text, look, name = notes.lines() + text, notes.look, "this program"
    catalog = catalog or load_catalog()
    return Explanation(explain_text(text.encode("utf-8", "replace"), catalog, name=name, look=look))

"""`logsense explain`: reads logs, prints why the run failed."""

from __future__ import annotations

import os
import sys

from logsense.catalog.load import load_catalog
from logsense.cli.conclude import (
    conclude,
)
from logsense.cli.output import COMPILING, is_terminal, note
from logsense.model.report import Report
from logsense.pipeline import explain
from logsense.sources.find import PASTED, resolve
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.cli.options import Settings
    from logsense.match.read import OnProgress
    from logsense.model.knowledge import Catalog
    from logsense.model.live import Live
    from logsense.model.source import Source
    from logsense.pipeline import Look
    from logsense.survey.apart import JobLogs


def run(settings: Settings) -> int:
    """Explains the inputs of `settings` on standard output; gives the exit status.

    Raises InputError where an input can't be read.
    """
    if settings.newest:
        settings = settings._replace(inputs=(newest(settings),))
    inputs = settings.inputs or ("-",)
    if not settings.inputs and is_terminal(sys.stdin):
        end = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
        note(f"paste the log, then press {end} on a line of its own", settings)
    sources = _sources(inputs)
    if settings.format == "prompt" or settings.against:
        from logsense.sources.again import readable_again

        sources = readable_again(sources)
    catalog = catalog_of(settings)
    look = look_here if settings.live else None
    if settings.quiet or not is_terminal(sys.stderr):
        report = _report_on(sources, catalog, look)
    else:
        from logsense.cli.progress import Progress

        with Progress() as progress:
            report = _report_on(sources, catalog, look, progress)
    if not isinstance(report, Report):
        from logsense.cli.apart import conclude_apart

        return conclude_apart(report, settings, catalog)
    if settings.against:
        from logsense.compare import new_lines

        good = _sources([settings.against])
        if good[0].name == PASTED:
            raise InputError(f"can't read {settings.against}: no such file or folder")
        report = report._replace(new=new_lines(sources, good))
    broken = next((source for source in sources if source.note), None)
    if broken and not report.bytes_read and report.outcome == "unknown":
        raise InputError(f"nothing could be read: {broken.name}: {broken.note}")
    for source in sources:
        if source.note:
            note(f"{source.name}: {source.note}", settings)
    if report.outcome == "unknown" and any(_is_word(text) for text in settings.inputs):
        word = next(filter(_is_word, settings.inputs))
        from logsense.cli.guess import suggest_input

        raise InputError(f"{word!r} is no file, no folder, and no message that is known{suggest_input((word,))}")
    return conclude(report, settings, sys.stdout, sources)


def _report_on(
    sources: Sequence[Source], catalog: Catalog, look: Look | None, on_progress: OnProgress | None = None
) -> Report | Sequence[JobLogs]:
    """The report on the job that `sources` are the logs of; a report for each, where they are those of several."""
    if len(sources) == 1:
        return explain(sources, catalog, look=look, on_progress=on_progress)
    from logsense.survey.apart import explain_apart

    jobs = explain_apart(sources, catalog, look=look, on_progress=on_progress)
    return jobs if len(jobs) > 1 else jobs[0].report


def _sources(inputs: Sequence[str]) -> list[Source]:
    """What `inputs` name. Raises InputError with what was probably meant."""
    if len(inputs) > 1 and _is_word(inputs[0]) and inputs[0].isalpha():
        from logsense.cli.guess import suggest_input

        # `logsense explian train.log` is no text of one word beside a log.
        if meant := suggest_input(inputs[:1]):
            raise InputError(f"there is no command and no file {inputs[0]!r}{meant}")
    try:
        return resolve(inputs, stdin=sys.stdin)
    except InputError as error:
        from logsense.cli.guess import suggest_input

        raise InputError(f"{error}{suggest_input(inputs)}") from None


def newest(settings: Settings) -> str:
    """The log that was written last, beneath the folder that `settings` name, or beneath this one."""
    from logsense.sources.find import newest_log

    if len(settings.inputs) > 1:
        raise InputError("--newest takes one folder")
    folder = settings.inputs[0] if settings.inputs else "."
    if not os.path.isdir(folder):
        from logsense.cli.guess import suggest_file

        meant = "" if os.path.lexists(folder) else suggest_file(folder)
        raise InputError(f"--newest takes a folder; {folder} is none{meant}")
    found = newest_log(folder)
    if found is None:
        raise InputError(f"no log lies in {'this folder' if folder == '.' else folder}")
    note(f"the newest log is {found[0]}", settings)
    return found[0]


def look_here() -> Live:
    """What this machine shows now, and what its kernel said in the last minutes."""
    from logsense.machine.now import read_machine

    return read_machine()


def _is_word(text: str) -> bool:
    """Whether an input is more likely a name that was mistyped than a pasted text."""
    return text != "-" and "://" not in text and len(text.split()) < 2 and not os.path.exists(text)


def catalog_of(settings: Settings) -> Catalog:
    """The knowledge, with the user's own added; what is wrong with the user's own is noted, not raised."""
    for folder in (settings.rules, settings.corpus):
        if folder and not os.path.isdir(folder):
            from logsense.cli.guess import suggest_file

            note(f"ignored: folder {folder} does not exist{suggest_file(folder)}")
    told = (lambda: note(COMPILING, settings)) if is_terminal(sys.stderr) else None
    catalog = load_catalog(settings.rules, settings.corpus, told, settings.trusted)
    if catalog.problems:
        more = len(catalog.problems) - 1
        note(f"ignored: {catalog.problems[0]}" + (f" (and {more} more; see logsense rules lint)" if more else ""))
    return catalog

"""`logsense explain`: read logs and print why the run failed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from logsense.catalog.load import load_catalog
from logsense.cli.conclude import conclude, conclude_apart
from logsense.cli.options import Settings
from logsense.cli.output import COMPILING, ProgressBar, is_terminal, note
from logsense.cli.suggestions import suggest_file, suggest_input
from logsense.match.read import OnProgress
from logsense.model.knowledge import Catalog
from logsense.model.live import Live
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.pipeline import Look, explain
from logsense.sources.find import PASTED, looks_like_path, resolve
from logsense.util.errors import InputError, NoFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.run import RecordedRun
    from logsense.survey.several_jobs import JobLogs


def run(settings: Settings) -> int:
    """Explain the inputs of `settings` on standard output; return the exit status.

    Raise InputError if an input can't be read.
    """
    if settings.newest:
        settings = settings._replace(inputs=_newest(settings))
    inputs = settings.inputs or ("-",)
    if not settings.inputs and is_terminal(sys.stdin):
        end = "Ctrl-Z and Enter on a line of its own" if os.name == "nt" else "Ctrl-D"
        note(f"paste the log, then press {end}", settings)
    sources = _sources(inputs, settings)
    if settings.format == "prompt" or settings.against:
        from logsense.sources.reread import readable_again

        sources = readable_again(sources)
    catalog = catalog_of(settings)
    look = look_here if settings.live else None
    if settings.quiet or not is_terminal(sys.stderr):
        report = _report_on(sources, catalog, look)
    else:
        with ProgressBar() as progress:
            report = _report_on(sources, catalog, look, progress)
    if not isinstance(report, Report):
        return conclude_apart(report, settings, catalog)
    if settings.against:
        from logsense.records.new_lines import new_lines

        good = _sources([settings.against], settings)
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
        raise InputError(f"{word!r} is not a file, a folder or a known message{suggest_input((word,))}")
    return conclude(report, settings, sys.stdout, sources)


def _report_on(
    sources: Sequence[Source], catalog: Catalog, look: Look | None, on_progress: OnProgress | None = None
) -> Report | Sequence[JobLogs]:
    """Return the report on the job with the logs `sources`, or a report per job if they are of several."""
    if len(sources) == 1:
        return explain(sources, catalog, look=look, on_progress=on_progress)
    from logsense.survey.several_jobs import explain_apart

    jobs = explain_apart(sources, catalog, look=look, on_progress=on_progress)
    return jobs if len(jobs) > 1 else jobs[0].report


def _sources(inputs: Sequence[str], settings: Settings) -> list[Source]:
    """Return the sources that `inputs` name, with a note for each that can't be read.

    Raise InputError, with a suggestion, if none can be.
    """
    # The first word of `logsense explian train.log` is a mistyped command, not a pasted text.
    looks_like_command = len(inputs) > 1 and _is_word(inputs[0]) and inputs[0].isalpha()
    if looks_like_command and (meant := suggest_input(inputs[:1])):
        raise InputError(f"{inputs[0]!r} is neither a command nor a file{meant}")
    words = [one for one in inputs if _is_word(one) and not looks_like_path(one)]
    if len(words) == len(inputs):
        inputs, words = [" ".join(inputs)], []  # a message that was pasted without quotation marks
    inputs = [one for one in inputs if one not in words]
    for word in words:
        note(f"no such file: {word}{suggest_input((word,))}", settings)

    def in_words(error: InputError) -> str:
        return f"{error}{suggest_input((error.name,)) if isinstance(error, NoFileError) else ''}"

    try:
        return resolve(inputs, stdin=sys.stdin, on_problem=lambda error: note(in_words(error), settings))
    except InputError as error:
        raise InputError(in_words(error)) from None


def _newest(settings: Settings) -> tuple[str, ...]:
    """Return the logs of the job that wrote last below the folder in `settings`, or below the current one."""
    if len(settings.inputs) > 1:
        raise InputError("--newest takes one folder")
    folder = settings.inputs[0] if settings.inputs else "."
    if not os.path.isdir(folder):
        meant = "" if os.path.lexists(folder) else suggest_file(folder)
        raise InputError(f"--newest takes a folder; {folder} is not one{meant}")
    from logsense.cli.newest import in_words, newest_job

    found = newest_job(folder)
    if found is None:
        raise InputError(f"no log in {'this folder' if folder == '.' else folder}")
    note(f"explaining {in_words(found)}", settings)
    return found.logs


def look_here() -> Live:
    """Return the state of this machine, with the kernel messages of the last minutes."""
    from logsense.machine.now import read_machine

    return read_machine()


def explain_recorded(found: RecordedRun, catalog: Catalog) -> tuple[Source, Report]:
    """Return the output of a recorded run, and the report on it and on what else was recorded."""
    from logsense.recorder.history import live_of
    from logsense.recorder.output import recorded_source

    source = recorded_source(found.output)
    return source, explain([source], catalog, ended=found.ended, look=lambda: live_of(found))


def _is_word(text: str) -> bool:
    """Return whether an input is more likely a mistyped name than a pasted text."""
    return text != "-" and "://" not in text and len(text.split()) < 2 and not os.path.exists(text)


def catalog_of(settings: Settings, line_end: str = "") -> Catalog:
    """Return the catalog, extended by the user's own rules and signatures. Problems with those are noted.

    `line_end` ends the line on the terminal that a note would continue.
    """
    for folder in (settings.rules, settings.corpus):
        if folder and not os.path.isdir(folder):
            note(f"ignored: folder {folder} does not exist{suggest_file(folder)}")
    on_compile = (lambda: note(COMPILING, settings, line_end)) if is_terminal(sys.stderr) else None
    catalog = load_catalog(settings.rules, settings.corpus, on_compile, settings.trusted)
    if catalog.problems:
        more = len(catalog.problems) - 1
        note(f"ignored: {catalog.problems[0]}" + (f" (and {more} more; see logsense rules lint)" if more else ""))
    return catalog

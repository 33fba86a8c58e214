"""`logsense explain`: reads logs, prints why the run failed."""

from __future__ import annotations

import os
import sys

from logsense.catalog.load import keep_regexes, load_catalog
from logsense.cli.output import COMPILING, is_terminal, look_of, note, show, write
from logsense.model.report import Report
from logsense.pipeline import explain
from logsense.render.formats import render
from logsense.sources.errors import InputError
from logsense.sources.resolve import PASTED, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from logsense.cli.options import Settings
    from logsense.model.catalog import Catalog
    from logsense.model.live import Live
    from logsense.pipeline import Look
    from logsense.reading import OnProgress
    from logsense.sources.source import Source
    from logsense.survey.apart import JobLogs

STATUS_FAILURE_FOUND = 1
# With --exit-code=verdict. 75 is EX_TEMPFAIL of sysexits.h: try again later; 76 is the next one.
STATUS_BY_VERDICT = {"fix-first": STATUS_FAILURE_FOUND, "retry": 75, "other-node": 76}


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
        from logsense.against import new_lines

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
        from logsense.cli.guess import input_meant

        raise InputError(f"{word!r} is no file, no folder, and no message that is known{input_meant((word,))}")
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
        from logsense.cli.guess import input_meant

        # `logsense explian train.log` is no text of one word beside a log.
        if meant := input_meant(inputs[:1]):
            raise InputError(f"there is no command and no file {inputs[0]!r}{meant}")
    try:
        return resolve(inputs, stdin=sys.stdin)
    except InputError as error:
        from logsense.cli.guess import input_meant

        raise InputError(f"{error}{input_meant(inputs)}") from None


def newest(settings: Settings) -> str:
    """The log that was written last, beneath the folder that `settings` name, or beneath this one."""
    from logsense.sources.newest import newest_log

    if len(settings.inputs) > 1:
        raise InputError("--newest takes one folder")
    folder = settings.inputs[0] if settings.inputs else "."
    if not os.path.isdir(folder):
        from logsense.cli.guess import file_meant

        meant = "" if os.path.lexists(folder) else file_meant(folder)
        raise InputError(f"--newest takes a folder; {folder} is none{meant}")
    found = newest_log(folder)
    if found is None:
        raise InputError(f"no log lies in {'this folder' if folder == '.' else folder}")
    note(f"the newest log is {found[0]}", settings)
    return found[0]


def look_here() -> Live:
    """What this machine shows now, and what its kernel said in the last minutes."""
    from logsense.machine.now import look

    return look()


def _is_word(text: str) -> bool:
    """Whether an input is more likely a name that was mistyped than a pasted text."""
    return text != "-" and "://" not in text and len(text.split()) < 2 and not os.path.exists(text)


def catalog_of(settings: Settings) -> Catalog:
    """The knowledge, with the user's own added; what is wrong with the user's own is noted, not raised."""
    for folder in (settings.rules, settings.corpus):
        if folder and not os.path.isdir(folder):
            from logsense.cli.guess import file_meant

            note(f"left out: there is no folder {folder}{file_meant(folder)}")
    told = (lambda: note(COMPILING, settings)) if is_terminal(sys.stderr) else None
    catalog = load_catalog(settings.rules, settings.corpus, told, settings.trusted)
    if catalog.problems:
        more = len(catalog.problems) - 1
        note(f"left out: {catalog.problems[0]}" + (f" (and {more} more; see logsense rules lint)" if more else ""))
    return catalog


def conclude(report: Report, settings: Settings, stream: TextIO, sources: Sequence[Source] = ()) -> int:
    """Writes the answer to `stream` or to the file asked for; gives the exit status.

    `sources` are the logs, where more of them may be shown than the answer holds.
    """
    failed = report.outcome == "failed"
    try:
        if failed or not settings.quiet:
            _write(report, settings, stream, sources)
    finally:  # where nobody reads the answer any more, a message matters most
        if failed and settings.notify:
            from logsense.cli.notify import tell

            tell(report, settings, sources)
    keep_regexes()
    return status_of(report, settings)


def _write(report: Report, settings: Settings, stream: TextIO, sources: Sequence[Source]) -> None:
    if settings.format == "prompt":
        from logsense.render.prompt import render_prompt
        from logsense.sharing import bundle_of, redacted_bundle

        write(render_prompt(redacted_bundle(bundle_of(report, sources), _knowledge(settings))), stream, settings)
    else:
        if settings.redact:
            from logsense.sharing import redacted

            report = redacted(report, _knowledge(settings), sources)
        show(render(report, settings.format, look_of(stream, settings)), stream, settings)
    if settings.format == "github":
        _add_summary(report)


def status_of(report: Report, settings: Settings) -> int:
    """The exit status that `settings` ask for: always 0, 1 for a failure, or what says whether to run again."""
    if not settings.exit_code or report.outcome != "failed":
        return 0
    if settings.exit_code == "verdict" and report.rerun:
        return STATUS_BY_VERDICT.get(report.rerun.verdict, STATUS_FAILURE_FOUND)
    return STATUS_FAILURE_FOUND


def _knowledge(settings: Settings) -> Catalog:
    return load_catalog(settings.rules, settings.corpus, trusted=settings.trusted)


def _add_summary(report: Report) -> None:
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        from logsense.render.look import Look

        with open(path, "a", encoding="utf-8") as file:
            file.write(render(report, "markdown", Look()))

"""`logsense survey`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from logsense.cli.chosen import settings as settings_of
from logsense.cli.conclude import STATUS_FAILURE_FOUND
from logsense.cli.explain import catalog_of
from logsense.cli.options import SURVEY_FORMATS
from logsense.cli.output import is_terminal, look_of, note, write
from logsense.cli.settings import kept
from logsense.model.values import to_count
from logsense.recorder.folder import state_folder
from logsense.render.survey.formats import render_answer, render_survey
from logsense.survey.find import find_tasks
from logsense.survey.pool import read_tasks
from logsense.survey.store import Store, query
from logsense.survey.tables import survey_of
from logsense.util.cores import cores
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.model.survey import JobRow
    from logsense.survey.find import Task

    Reading = Callable[[Sequence[Task]], Generator[tuple[Task, list[JobRow]], None, None]]


def format_of(wanted: object, settings: Settings) -> str:
    """The format that was asked for, or else that of the output's ending, or else text.

    Raises InputError, before hours of reading, where it can't be written.
    """
    ending = (settings.output or "").rpartition(".")[2].lower()
    found = str(wanted) if wanted is not None else ending if ending in SURVEY_FORMATS else "text"
    if found == "parquet":
        if not settings.output and is_terminal(sys.stdout):
            raise InputError("Parquet is not for terminals; name a file with --output")
        if find_spec("pyarrow") is None:
            raise InputError("--format parquet needs pip install 'logsense-ml[parquet]'")
    return found


def deliver(answer: str | bytes, settings: Settings) -> None:
    """Writes `answer` to the file that `settings` name, or else to standard output."""
    if isinstance(answer, str):
        write(answer, sys.stdout, settings)
    elif settings.output:
        try:
            with open(settings.output, "wb") as file:
                file.write(answer)
        except OSError as error:  # of a full disk it does not say which file could not be written
            raise OSError(error.errno, error.strerror, settings.output) from None
    else:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


KEEP_AT_ONCE = 50  # rows are written to the file in such pieces
STATUS_INTERRUPTED = 130


def run(given: dict[str, object]) -> int:
    """Surveys the jobs below the given paths, or asks what was kept; gives the exit status."""
    paths = tuple(map(str, given.pop("paths", ())))  # type: ignore[call-overload]
    question, database = given.pop("sql", None), given.pop("database", None)
    workers, engine = _workers(given.pop("jobs", None)), given.pop("engine", None)
    wanted = given.pop("format", None)
    settings = settings_of(given, kept())
    written = format_of(wanted, settings)
    settings = settings._replace(format=written)
    path = str(database) if database else _database()
    if not paths and question is None:
        raise InputError("survey takes the folders, logs or archives to read (see logsense survey --help)")
    stopped = False
    rows: list[JobRow] = []
    catalog = catalog_of(settings)
    if paths:
        reading = _reading(engine, workers, catalog, settings)
        rows, stopped = _survey(paths, path, reading, catalog, settings)
    if question is not None:
        if settings.redact:
            raise InputError("--sql answers with what was kept, unredacted; leave --redact out")
        if path is None:
            raise InputError("there is no home folder that a survey could be kept in; name a file with --database")
        columns, answer = query(path, str(question))
        text = render_answer(columns, answer, written, look_of(sys.stdout, settings))
    else:
        table = catalog.table("cause-places")
        places = {str(row["cause"]): str(row["lies"]) for row in table.rows} if table else {}
        survey = survey_of(rows, catalog.causes, places)
        if settings.redact:
            from logsense.share.bundle import redacted_survey

            survey = redacted_survey(survey, catalog)
        text = render_survey(survey, written, look_of(sys.stdout, settings))
    deliver(text, settings)
    if stopped:
        return STATUS_INTERRUPTED
    failed = any(row.outcome == "failed" for row in rows)
    return STATUS_FAILURE_FOUND if settings.exit_code and failed else 0


def _survey(
    paths: Sequence[str], path: str | None, read: Reading, catalog: Catalog, settings: Settings
) -> tuple[list[JobRow], bool]:
    """The rows of all jobs, and whether Ctrl-C came first: then those that are known by then."""
    tasks = find_tasks(paths)
    if not tasks:
        raise InputError(f"no logs in {', '.join(paths)}")
    key = catalog.key
    store = _open(path, settings)
    done = store.known(tasks, key)
    new = [task for task in tasks if task.name not in done]
    fresh: list[tuple[Task, list[JobRow]]] = []
    stopped = False
    reading = read(new)
    try:
        for task, rows in _shown(reading, new, settings):
            done[task.name] = rows
            fresh.append((task, rows))
            if len(fresh) >= KEEP_AT_ONCE:
                store.save(fresh, key)
                fresh = []
    except KeyboardInterrupt:
        stopped = True
        left = sum(1 for task in tasks if task.name not in done)
        note(f"stopped; {left:,} of {len(tasks):,} were not read yet, the next survey goes on from here", settings)
    finally:
        reading.close()
        store.save(fresh, key)
        store.close()
    if len(new) < len(tasks) and not stopped:
        note(f"{len(new):,} read anew, {len(tasks) - len(new):,} known from before", settings)
    return [row for task in tasks for row in done.get(task.name, ())], stopped


def _reading(engine: object, workers: int | None, catalog: Catalog, settings: Settings) -> Reading:
    """What reads tasks on the engine that was chosen."""
    if engine != "ray":
        return lambda tasks: read_tasks(tasks, workers or cores(), settings.rules, settings.corpus, settings.trusted)
    from logsense.catalog.load import packed_catalog
    from logsense.survey.ray_engine import read_tasks_on_ray

    knowledge = packed_catalog(settings.rules, settings.corpus, settings.trusted)
    return lambda tasks: read_tasks_on_ray(tasks, workers, catalog.key, knowledge, lambda said: note(said, settings))


def _shown(
    reading: Iterator[tuple[Task, list[JobRow]]], tasks: Sequence[Task], settings: Settings
) -> Iterator[tuple[Task, list[JobRow]]]:
    """The same, with a bar on a terminal that says how far it has come and how long it will take."""
    if settings.quiet or not is_terminal(sys.stderr):
        yield from reading
        return
    from logsense.cli.progress import Progress

    total, done = sum(task.size_bytes for task in tasks), 0
    with Progress() as progress:
        progress(0, total)
        for task, rows in reading:
            done += task.size_bytes
            progress(done, total)
            yield task, rows


def _open(path: str | None, settings: Settings) -> Store:
    """The file for what is read; our own is put aside where it is damaged, and where it can't be, nothing is kept."""
    try:
        return Store(path)
    except InputError as error:
        if path is None or path != _database():
            raise
        try:
            os.replace(path, f"{path}.damaged")
            store = Store(path)
        except (OSError, InputError):
            note(f"{error}; nothing is kept", settings)
            return Store(None)
        note(f"{error}; it is kept as {path}.damaged, and all is read anew", settings)
        return store


def _database() -> str | None:
    """Where surveys are kept; None where there is no home."""
    runs = state_folder()
    return os.path.join(os.path.dirname(runs), "survey.db") if runs else None


def _workers(jobs: object) -> int | None:
    if jobs is None:
        return None
    number = to_count(str(jobs))
    if not number:
        raise InputError("--jobs takes a number of processes")
    return number

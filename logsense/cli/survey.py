"""`logsense survey`: summarize many jobs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib.util import find_spec

from logsense.catalog.load import packed_catalog
from logsense.cli.conclude import STATUS_FAILURE_FOUND
from logsense.cli.explain import catalog_of
from logsense.cli.options import SURVEY_FORMATS, Settings
from logsense.cli.output import ProgressBar, is_terminal, look_of, note, show, write
from logsense.cli.settings import settings_of, stored_settings
from logsense.model.knowledge import Catalog
from logsense.model.survey import JobRow
from logsense.model.values import to_count
from logsense.recorder.folder import state_folder
from logsense.render.survey.formats import render_answer, render_survey
from logsense.share.bundle import redacted_values
from logsense.survey.find import Task, find_tasks
from logsense.survey.pool import read_tasks
from logsense.survey.ray_engine import read_tasks_on_ray
from logsense.survey.store import Store, query
from logsense.survey.tables import survey_of
from logsense.util.cores import cores
from logsense.util.errors import InputError

Reading = Callable[[Sequence[Task]], Generator[tuple[Task, list[JobRow]], None, None]]
SAVED_AT_ONCE = 50  # tasks
STATUS_INTERRUPTED = 130


def format_of(requested: object, settings: Settings) -> str:
    """Return the requested format, or else that of the output file's extension, or else text.

    Raise InputError if it can't be written, before hours of reading.
    """
    extension = (settings.output or "").rpartition(".")[2].lower()
    inferred = extension if extension in SURVEY_FORMATS else "text"
    found = str(requested) if requested is not None else inferred
    if found == "parquet":
        if not settings.output and is_terminal(sys.stdout):
            raise InputError("Parquet is a binary format; name a file with --output")
        if find_spec("pyarrow") is None:
            raise InputError("--format parquet needs pip install 'logsense-ml[parquet]'")
    return found


def run(options: dict[str, object]) -> int:
    """Survey the jobs below the paths in `options`, or query earlier results; return the exit status."""
    paths = tuple(map(str, options.pop("paths", ())))  # type: ignore[call-overload]
    sql, database = options.pop("sql", None), options.pop("database", None)
    workers, engine = _workers(options.pop("jobs", None)), options.pop("engine", None)
    requested_format = options.pop("format", None)
    settings = settings_of(options, stored_settings())
    settings = settings._replace(format=format_of(requested_format, settings))
    path = str(database) if database else _database()
    if not paths and sql is None:
        raise InputError("name the folders, logs or archives to read (see logsense survey --help)")
    stopped = False
    rows: list[JobRow] = []
    catalog = catalog_of(settings)
    if paths:
        reading = _reading(engine, workers, catalog, settings)
        rows, stopped = _survey(paths, path, reading, catalog, settings)
    if sql is not None:
        if settings.redact:
            raise InputError("--sql can't be combined with --redact: stored results are not redacted")
        if path is None:
            raise InputError("there is no home folder to store surveys in; name a file with --database")
        columns, found = query(path, str(sql))
        answer = render_answer(columns, found, settings.format, look_of(sys.stdout, settings))
    else:
        table = catalog.table("cause-places")
        places = {str(row["cause"]): str(row["lies"]) for row in table.rows} if table else {}
        survey = survey_of(rows, catalog.causes, places)
        if settings.redact:
            survey = redacted_values(survey, catalog)
        answer = render_survey(survey, settings.format, look_of(sys.stdout, settings))
    if isinstance(answer, str):
        show(answer, sys.stdout, settings, from_end=sql is None)
    else:
        write(answer, sys.stdout, settings)
    if stopped:
        return STATUS_INTERRUPTED
    failed = any(row.outcome == "failed" for row in rows)
    return STATUS_FAILURE_FOUND if settings.exit_code and failed else 0


def _survey(
    paths: Sequence[str], path: str | None, read: Reading, catalog: Catalog, settings: Settings
) -> tuple[list[JobRow], bool]:
    """Return the rows of all jobs and whether Ctrl-C interrupted reading; then only the rows known so far."""
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
        for task, rows in _with_progress(reading, new, settings):
            done[task.name] = rows
            fresh.append((task, rows))
            if len(fresh) >= SAVED_AT_ONCE:
                store.save(fresh, key)
                fresh = []
    except KeyboardInterrupt:
        stopped = True
        left = sum(1 for task in tasks if task.name not in done)
        note(f"stopped; {left:,} of {len(tasks):,} not read yet; the next survey resumes here", settings)
    finally:
        reading.close()
        store.save(fresh, key)
        store.close()
    if len(new) < len(tasks) and not stopped:
        note(f"{len(tasks) - len(new):,} unchanged, {len(new):,} read", settings)
    return [row for task in tasks for row in done.get(task.name, ())], stopped


def _reading(engine: object, workers: int | None, catalog: Catalog, settings: Settings) -> Reading:
    """Return the function that reads tasks on the chosen engine."""
    if engine != "ray":
        return lambda tasks: read_tasks(tasks, workers or cores(), settings.rules, settings.corpus, settings.trusted)
    packed = packed_catalog(settings.rules, settings.corpus, settings.trusted)
    return lambda tasks: read_tasks_on_ray(tasks, workers, catalog.key, packed, lambda text: note(text, settings))


def _with_progress(
    reading: Iterator[tuple[Task, list[JobRow]]], tasks: Sequence[Task], settings: Settings
) -> Iterator[tuple[Task, list[JobRow]]]:
    """Yield from `reading`, with a progress bar on a terminal."""
    if settings.quiet or not is_terminal(sys.stderr):
        yield from reading
        return
    total, done = sum(task.size_bytes for task in tasks), 0
    with ProgressBar() as progress:
        progress(0, total)
        for task, rows in reading:
            done += task.size_bytes
            progress(done, total)
            yield task, rows


def _open(path: str | None, settings: Settings) -> Store:
    """Open the database. If the default one is damaged, set it aside; if that fails, store nothing."""
    try:
        return Store(path)
    except InputError as error:
        if path is None or path != _database():
            raise
        try:
            os.replace(path, f"{path}.damaged")
            store = Store(path)
        except (OSError, InputError):
            note(f"{error}; results are not stored", settings)
            return Store(None)
        note(f"{error}; moved to {path}.damaged, reading everything again", settings)
        return store


def _database() -> str | None:
    """Return the path of the default database, or None without a home folder."""
    runs = state_folder()
    return os.path.join(os.path.dirname(runs), "survey.db") if runs else None


def _workers(jobs: object) -> int | None:
    if jobs is None:
        return None
    number = to_count(str(jobs))
    if not number:
        raise InputError("--jobs takes a number of processes")
    return number

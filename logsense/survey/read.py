"""Read one task of a survey. Every error becomes a row with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.knowledge import Catalog
from logsense.model.source import Source
from logsense.model.survey import JobRow
from logsense.pipeline import explain
from logsense.sources.archive import logs_in as logs_in_archive
from logsense.sources.file import file_source
from logsense.sources.find import is_address
from logsense.sources.remote import logs_at
from logsense.survey.find import Task
from logsense.survey.jobs import group
from logsense.survey.row import row_of, storable
from logsense.util.errors import InputError, NoLogError


def read_task(task: Task, catalog: Catalog) -> list[JobRow]:
    """Return the rows of the jobs in `task`; none if it contains no text. Raise nothing."""
    return [storable(row) for row in _read(task, catalog)]


def _read(task: Task, catalog: Catalog) -> list[JobRow]:
    try:
        if task.is_archive:
            return _read_archive(task, catalog)
        sources, problem = _sources(task.paths)
        if sources:
            return [_row(task.name, sources, catalog, task, problem)]
        return [unreadable(task, problem)] if problem else []
    except Exception as error:  # noqa: BLE001 - one bad log must not end a survey
        return [unreadable(task, _why(error))]


def unreadable(task: Task, why: str) -> JobRow:
    """Return the row for a task that can't be read."""
    return storable(JobRow(task.name, "unreadable", logs=len(task.paths), size_bytes=task.size_bytes, problem=why))


def _sources(paths: Sequence[str]) -> tuple[list[Source], str]:
    """Return the sources for the logs in `paths`, and the first problem with the others."""
    found, problem = [], ""
    for path in paths:
        try:
            found += logs_at(path) if is_address(path) else [file_source(path)]
        except NoLogError:  # noqa: PERF203
            continue
        except InputError as error:
            problem = problem or str(error)
    return found, problem


def _read_archive(task: Task, catalog: Catalog) -> list[JobRow]:
    try:
        (path,) = task.paths
        logs = logs_at(path) if is_address(path) else logs_in_archive(path)
        sources = {source.name: source for source in logs}
    except NoLogError:
        return []
    jobs = [(name, [sources[log] for log in logs]) for name, logs in group(sources).items()]
    jobs.sort(key=lambda job: min(source.turn for source in job[1]))  # in the order of the archive
    rows = []
    for name, members in jobs:
        try:
            rows.append(_row(name, members, catalog, task))
        except Exception as error:  # noqa: BLE001, PERF203
            rows.append(unreadable(task._replace(name=name), _why(error)))
    return rows


def _row(name: str, sources: list[Source], catalog: Catalog, task: Task, problem: str = "") -> JobRow:
    report = explain(sources, catalog)
    row = row_of(name, report, [source.name for source in sources], task.newest_s)
    note = next((f"{source.name}: {source.note}" for source in sources if source.note), None)
    return row._replace(problem=problem or note)


def _why(error: Exception) -> str:
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    return f"internal error of logsense: {type(error).__name__}: {error}"

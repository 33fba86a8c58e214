"""Read one task of a survey into rows, one for each job. Every error becomes a row with its reason."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from time import localtime, strftime, time

from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.model.survey import JobRow
from logsense.pipeline import explain
from logsense.records.rank_by_name import rank_of
from logsense.sources.archive import logs_in as logs_in_archive
from logsense.sources.file import file_source
from logsense.sources.find import is_address
from logsense.sources.remote import logs_at
from logsense.survey.find import Task
from logsense.survey.jobs import group
from logsense.util.errors import InputError, NoLogError
from logsense.util.times import iso_time


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


LONGEST_TEXT = 500
MOST_INT = 1 << 63
_NODE = re.compile(r"(?:^|/)((?:node|host|nid|dgx|hgx|gpu-?node|ip)[._-]?[a-z]*[\w-]*\d)(?=/)", re.IGNORECASE)
_WORLD_FACTS = ("job.world_size", "topology.current_world", "topology.world")
_GPU_FACTS = ("gpu.uuid", "gpu.serial", "gpu.pci", "xid.pci", "gpu.index", "oom.gpu")


def row_of(job: str, report: Report, logs: Sequence[str], newest_s: float | None) -> JobRow:
    """Return the row for `report` on `job` with these `logs`, last modified at `newest_s` (None: unknown).

    If it is unknown, dates without a year are assumed to be in the last twelve months.
    """
    first = report.diagnoses[0] if report.diagnoses else None
    culprit = report.culprits[0] if report.culprits else None
    proofs = [*(first.evidence if first else ()), *report.unexplained]
    proof = next((one for one in proofs if one.text is not None), proofs[0] if proofs else None)
    source = culprit.source if culprit else proof.source if proof else None
    rank = culprit.rank if culprit else proof.rank if proof else None
    host = (culprit.host if culprit else None) or (proof.host if proof else None) or _host_in(source)
    printed = next((one.time for one in proofs if one.time), None)
    failed_at = iso_time(printed, time() if newest_s is None else newest_s) if printed else None
    changed_at = None if newest_s is None else strftime("%Y-%m-%dT%H:%M:%S", localtime(newest_s))
    failed = report.outcome == "failed" or first is not None
    progress = report.progress
    after_s = progress.after_s if progress else None
    lost_s = _lost_s(report) if failed else None
    world = _world_size(report, logs)
    return JobRow(
        job=job,
        outcome=report.outcome,
        cause=first.cause if first else None,
        title=first.title if first else None,
        confidence=round(first.confidence, 3) if first else None,
        rank=None if _may_not_be_rank(rank, logs) else rank,
        host=host,
        gpu=_gpu(report, host) if failed else None,
        failed_at=failed_at or changed_at,
        dated_by="log" if failed_at else "file" if changed_at else None,
        phase=progress.phase if progress else None,
        step=progress.step if progress else None,
        after_s=after_s,
        lost_s=lost_s,
        world_size=world,
        gpu_hours_lost=round(world * lost_s / 3600, 3) if world and lost_s is not None else None,
        rerun=report.rerun.verdict if report.rerun else None,
        says=proof.says if proof else None,
        source=source,
        line=culprit.line if culprit else proof.line if proof else None,
        text=proof.text[:LONGEST_TEXT] if proof and proof.text else None,
        logs=len(logs),
        size_bytes=report.bytes_read,
        image=_image(report),
    )


def _may_not_be_rank(rank: int | None, logs: Sequence[str]) -> bool:
    """Return whether `rank` is just a number in the name of a single log, such as log-084.log."""
    return len(logs) == 1 and rank is not None and rank == rank_of(logs[0]) and "rank" not in logs[0].lower()


def storable(row: JobRow) -> JobRow:
    """Return `row` without values that a database or JSON can't hold: undecodable bytes, infinity, huge integers."""
    return JobRow(*map(_storable, row))  # type: ignore[arg-type]


def storable_text(text: str) -> str:
    """Return `text` with undecodable bytes escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def _storable(value: object) -> object:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return None if isinstance(value, int) and abs(value) >= MOST_INT else value


def _lost_s(report: Report) -> float | None:
    """Return the seconds of work lost: since the last checkpoint, or since the start if no checkpoint is known."""
    progress = report.progress
    if progress is None:
        return None
    if progress.checkpoint is None:
        return progress.after_s
    return progress.checkpoint.before_end_s


def _world_size(report: Report, logs: Sequence[str]) -> int | None:
    """Return the number of processes: as the log says, or the number of ranks with a log if they are complete."""
    for name in _WORLD_FACTS:
        fact = report.facts.get(name)
        if fact and isinstance(fact.value, int) and fact.value > 0:
            return fact.value
    ranks = {rank for log in logs if (rank := rank_of(log)) is not None}
    return len(ranks) if len(ranks) > 1 and ranks == set(range(len(ranks))) else None


def _gpu(report: Report, host: str | None) -> str | None:
    """Return the GPU that the log names, with its host if the name alone is ambiguous."""
    for name in _GPU_FACTS:
        fact = report.facts.get(name)
        if fact is None or fact.value is None:
            continue
        if name in ("gpu.uuid", "gpu.serial"):
            return str(fact.value)
        shown = f"GPU {fact.value}" if isinstance(fact.value, int) else str(fact.value).removeprefix("PCI:")
        return f"{host} {shown}" if host else None
    return None


def _image(report: Report) -> str | None:
    """Return the container image that the log names, or the release of an NVIDIA image."""
    fact, release = report.facts.get("container.image"), report.facts.get("container.release")
    if fact and fact.value:
        return str(fact.value).removeprefix("docker://").replace("#", "/", 1)
    return f"NVIDIA {release.value}" if release and release.value else None


def _host_in(source: str | None) -> str | None:
    """Return the node in the path of a log."""
    found = _NODE.search(source.replace(os.sep, "/")) if source else None
    return found[1] if found else None

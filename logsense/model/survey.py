"""A survey: the answers for many jobs, one row each, and what they add up to."""

from __future__ import annotations

from typing import NamedTuple

SCHEMA = "logsense.survey/1"


class JobRow(NamedTuple):
    """The answer for one job in a row. What is not known is None.

    `job` is the path of its log, folder or archive, with `*` for what differs between its logs. `outcome` is that of
    its report, or "unreadable" with the reason in `problem`. `failed_at` is the time of the failure, as printed, in
    ISO 8601 without a zone; `dated_by` says whether it comes from the "log" or from the time of the "file".
    `lost_s` is the time since the last checkpoint, or since the start where none was written; times `world_size`
    that makes `gpu_hours_lost`. `source`, `line` and `text` are the proof, `says` its meaning.
    """

    job: str
    outcome: str
    cause: str | None = None
    title: str | None = None
    confidence: float | None = None
    rank: int | None = None
    host: str | None = None
    gpu: str | None = None
    failed_at: str | None = None
    dated_by: str | None = None
    phase: str | None = None
    step: int | None = None
    after_s: float | None = None
    lost_s: float | None = None
    world_size: int | None = None
    gpu_hours_lost: float | None = None
    rerun: str | None = None
    says: str | None = None
    source: str | None = None
    line: int | None = None
    text: str | None = None
    logs: int = 1
    size_bytes: int = 0
    problem: str | None = None


class CauseCount(NamedTuple):
    """How often a cause was the first one; `cause` is None for failures that are not known."""

    cause: str | None
    title: str
    jobs: int
    share: float
    gpu_hours_lost: float | None
    last: str | None


class Offender(NamedTuple):
    """A node or GPU at fault in several jobs, with those jobs' causes, most frequent first."""

    kind: str
    name: str
    jobs: int
    causes: tuple[tuple[str, int], ...]
    last: str | None


class Week(NamedTuple):
    """What a week brought: `week` as in 2026-W07, jobs that failed by cause, most frequent first."""

    week: str
    jobs: int
    failed: int
    gpu_hours_lost: float | None
    causes: tuple[tuple[str, int], ...]


class Survey(NamedTuple):
    """All rows of a survey, in natural order of the jobs, and what they add up to."""

    rows: tuple[JobRow, ...]
    causes: tuple[CauseCount, ...]
    offenders: tuple[Offender, ...]
    weeks: tuple[Week, ...]
    gpu_hours_lost: float | None
    gpu_hours_from: int  # jobs that tell

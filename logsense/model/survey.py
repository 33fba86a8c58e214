"""A survey: the answers for many jobs, one row each, and what they add up to."""

from __future__ import annotations

from logsense.util.noun import NamedTuple

UNKNOWN_CAUSE = "unknown"
SCHEMA = "logsense.survey/1"


class JobRow(NamedTuple):
    """The answer for one job in a row. What is not known is None.

    `job` is the path of its log, folder or archive, with `*` for what differs between its logs. `outcome` is that of
    its report, or "unreadable" with the reason in `problem`. `failed_at` is the time of the failure, as printed, in
    ISO 8601 without a zone; `dated_by` says whether it comes from the "log" or from the time of the "file".
    `lost_s` is the time since the last checkpoint, or since the start where none was written; times `world_size`
    that makes `gpu_hours_lost`. `source`, `line` and `text` are the proof, `says` its meaning. `image` is the container
    image that the job ran in.
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
    image: str | None = None


class CauseCount(NamedTuple):
    """How often a cause was the first one; `cause` is None for failures that are not known.

    `recent` counts the jobs of the newest four weeks of the survey, `before` those of the four weeks before; both are
    None where it does not reach back so far.
    """

    cause: str | None
    title: str
    jobs: int
    share: float
    gpu_hours_lost: float | None
    last: str | None
    recent: int | None = None
    before: int | None = None


class Offender(NamedTuple):
    """A node, GPU or image at fault in several jobs, with those jobs' causes, most frequent first.

    `ran` counts all jobs that are known to have run there: those of an image, whatever came of them.
    """

    kind: str
    name: str
    jobs: int
    causes: tuple[tuple[str, int], ...]
    last: str | None
    first: str | None = None
    gpu_hours_lost: float | None = None
    ran: int | None = None


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

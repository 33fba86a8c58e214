"""A survey: the answers for many jobs, one row each, and their summary."""

from __future__ import annotations

from logsense.util.noun import NamedTuple

SCHEMA = "logsense.survey/1"


class JobRow(NamedTuple):
    """The answer for one job. None for what is unknown.

    `job` is the path of its log, folder or archive, with `*` for the parts that differ between its logs. `outcome` is
    that of its report, or "unreadable" with the reason in `problem`. `failed_at` is the printed time of the failure, in
    ISO 8601 without a zone; `dated_by` says whether it comes from the "log" or from the time of the "file". `lost_s` is
    the time since the last checkpoint, or since the start without one; times `world_size` it makes `gpu_hours_lost`.
    `source`, `line` and `text` are the evidence, `says` its meaning. `image` is the job's container image.
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
    """How often a cause ranked first; `cause` is None for unknown failures.

    `recent` counts the jobs of the newest four weeks of the survey, `before` those of the four weeks before; both are
    None if the survey does not reach back that far.
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
    """A node, GPU or image at fault in several jobs, with the causes of those jobs, most frequent first.

    `ran` counts all jobs known to have run there; of an image, whatever their outcome.
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
    """The jobs of a week, such as 2026-W07: failed ones by cause, most frequent first."""

    week: str
    jobs: int
    failed: int
    gpu_hours_lost: float | None
    causes: tuple[tuple[str, int], ...]


class Survey(NamedTuple):
    """All rows of a survey, in natural order of the jobs, and their summary."""

    rows: tuple[JobRow, ...]
    causes: tuple[CauseCount, ...]
    offenders: tuple[Offender, ...]
    weeks: tuple[Week, ...]
    gpu_hours_lost: float | None
    gpu_hours_from: int  # jobs with a known loss

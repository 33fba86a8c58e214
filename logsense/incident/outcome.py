"""What became of a run: it failed, ended well, was still going, or nothing says so."""

from __future__ import annotations

from collections.abc import Mapping

from logsense.model.finding import Finding
from logsense.model.live import Ended
from logsense.model.reading import SourceEnd


def outcome_in(
    failing: list[Finding], ended: list[Finding], progress: list[Finding], ending: SourceEnd, announced: set[int]
) -> str:
    """What became of a run, from the findings that ended it, its good ends and its progress, and its last records;
    `announced` are the offsets of records whose exception does not matter."""
    if failing:
        return "failed"
    if ended:
        return "completed"
    last = ending.records[-1] if ending.records else None
    if last is not None and last.raised is not None and last.offset not in announced:
        return "failed"
    return "running" if _under_way(progress, ending) else "unknown"


def _under_way(progress: list[Finding], ending: SourceEnd) -> bool:
    """Return whether the last lines promise more steps; a bar that reached its end does not."""
    near = {record.offset for record in ending.records[-20:]}
    if not progress or progress[-1].offset not in near:
        return False
    latest = {finding.captures.get("steps"): finding.captures for finding in progress if finding.offset in near}
    return not all(_is_over(captures) for captures in latest.values())


def _is_over(captures: Mapping[str, object]) -> bool:
    """Return whether a report counts nothing, or everything that it counts has reached its total."""
    counted = [count for count in ("step", "epoch") if count in captures]
    # Of an epoch that is only named, nothing says that it is over.
    told = captures.keys() - {"epoch", "epochs"}
    return not counted or (bool(told) and all(_whole(captures, count) for count in counted))


def _whole(captures: Mapping[str, object], count: str) -> bool:
    done, total = captures.get(count), captures.get(f"{count}s")
    return isinstance(done, (int, float)) and isinstance(total, (int, float)) and done >= total


def outcome_of(outcome: str, ended: Ended) -> str:
    """Return the outcome of a run by what its log says and by how its process ended.

    A status of 0 does not clear a log that ends in a failure: another command of a script may have failed.
    """
    if ended.by_user:
        return outcome
    if ended.failed:
        return "failed"
    return "completed" if outcome in ("unknown", "running") else outcome


def worst(outcomes: list[str]) -> str:
    """Return the outcome of a job by the outcomes of its parts."""
    for outcome in ("failed", "unknown", "running", "completed"):
        if outcome in outcomes:
            return outcome
    return "unknown"

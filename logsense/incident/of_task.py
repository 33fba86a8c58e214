"""Find the launcher's verdict on a task: that other tasks continue does not undo it."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.finding import Finding


def standing(findings: Sequence[Finding], progress: Sequence[Finding]) -> Finding | None:
    """Return the last of `findings` by which a launcher says how a task ended, unless a later run starts over.

    A launcher may let the other tasks finish, as srun does without -K; the step fails all the same. Tasks that continue
    count on from where they were; a new run begins with the first steps again.
    """
    verdict = next((one for one in reversed(findings) if "of_task" in one.signature.traits), None)
    if verdict is None:
        return None
    before = [_place(one) for one in progress if one.offset < verdict.offset]
    after = [_place(one) for one in progress if one.offset > verdict.offset]
    return verdict if before and (not after or min(after) > min(before)) else None


def _place(finding: Finding) -> tuple[float, float]:
    epoch, step = (
        float(value) if isinstance(value := finding.captures.get(name), (int, float)) else -1.0
        for name in ("epoch", "step")
    )
    return epoch, step

"""Exceptions beside the program's own course, of a thread or of what is called at the exit: they alone end nothing."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.finding import Finding

Place = tuple[str, int, int]  # in which source, at which offset, where in its record

BESIDE = "beside"


def places_beside(found: Sequence[Finding]) -> frozenset[Place]:
    """Return where the failures of threads and exit callbacks are: behind the words that announce one, in the same
    record or in a traceback on the next line.
    """
    announced: dict[tuple[str, int], int] = {}
    above: set[tuple[str, int]] = set()
    for one in found:
        if BESIDE in one.signature.traits:
            announced.setdefault(one.record.key, one.at)
            if one.record.raised is None:
                above.add((one.record.source, one.record.lines[-1]))
    if not announced:
        return frozenset()
    nowhere = float("inf")
    return frozenset(
        place_of(one)
        for one in found
        if announced.get(one.record.key, nowhere) <= one.at
        or (one.record.raised is not None and (one.record.source, one.record.lines[0] - 1) in above)
    )


def place_of(finding: Finding) -> Place:
    """Return the place of a finding, which identifies it in a reading."""
    return finding.record.source, finding.offset, finding.at


def is_outlasted(finding: Finding, ended: Sequence[Finding], saved: Sequence[Finding]) -> bool:
    """Return whether the program went on and ended well, or wrote a checkpoint, after what failed `beside` it.

    What it says next may be joined to the exception's message.
    """
    here = finding.offset, finding.line
    return any((one.offset, one.line) > here for one in (*ended, *saved))

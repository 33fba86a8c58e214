"""Finds where messages come again and again that were only counted, since their first and last sightings are kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from logsense.model.finding import Finding
from logsense.model.reading import Reading


def only_counted(failing: Sequence[Finding], reading: Reading) -> list[tuple[int, int]]:
    """From where to where in the source messages of `failing` stand that are no findings.

    What looks like progress there may be the message itself, such as a step whose loss is nan.
    """
    gaps = []
    for name in {finding.signature.id for finding in failing}:
        kept = sum(finding.signature.id == name for finding in reading.findings)
        found = [finding for finding in failing if finding.signature.id == name]
        if reading.counts.get(name, 0) > kept and len(found) > 1:
            first, second = max(pairwise(found), key=lambda pair: pair[1].line - pair[0].line)
            gaps.append((first.offset, second.offset))
    return gaps

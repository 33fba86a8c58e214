"""What failed in a run, without what stands in the lines of noise messages."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.finding import Finding
from logsense.model.reading import FAILING
from logsense.model.record import TRACEBACK

# What the lines of a noise message do not say.
_CLAIMABLE = (*FAILING, "hint")


def failures_in(run: Sequence[Finding]) -> list[Finding]:
    """Return the failures of `run` that no noise message claims."""
    return [f for f in unclaimed(run) if f.signature.kind in FAILING]


def unclaimed(run: Sequence[Finding]) -> list[Finding]:
    """Return `run` without the failures and hints that noise messages claim."""
    claimed = _claimed(run)
    return [f for f in run if f.signature.kind not in _CLAIMABLE or not _is_claimed(f, claimed)]


def _claimed(run: Sequence[Finding]) -> dict[int, list[Finding]]:
    """Return the noise messages that claim records, by the record's offset."""
    claimed: dict[int, list[Finding]] = {}
    for finding in run:
        if finding.signature.kind == "noise":
            claimed.setdefault(finding.offset, []).append(finding)
    return claimed


def _is_claimed(finding: Finding, claimed: dict[int, list[Finding]]) -> bool:
    """Return whether a failure or hint belongs to a noise message of its record."""
    noises = claimed.get(finding.offset)
    if noises is None:
        return False
    text = finding.record.text
    # What is glued to it on its line is another message.
    noises = [noise for noise in noises if text in noise.record.text or noise.record.text in text]
    if any(noise.line == finding.line for noise in noises):
        return True
    if not noises:
        return False
    first = min(noises, key=lambda noise: noise.at)
    return _reach(first) <= finding.at and (_is_one_message(finding, first) or _indent(finding) > _indent(first))


def _reach(noise: Finding) -> int:
    """Return where the claim of `noise` begins: a frame that announces an exception also claims the header above."""
    text = noise.record.text
    framed = text[text.rfind("\n", 0, noise.at) + 1 :].lstrip().startswith('File "')
    return text.rfind(TRACEBACK, 0, noise.at) if framed and "announces" in noise.signature.traits else noise.at


def _is_one_message(finding: Finding, noise: Finding) -> bool:
    """Return whether the exception at `finding` belongs to the message `noise`, and is not only joined to it."""
    if "announces" in noise.signature.traits:
        return True
    header = f"\n{TRACEBACK}"
    joined = header in finding.record.text[noise.at : finding.at + len(header)]
    return finding.record.raised is not None and not joined


def _indent(finding: Finding) -> int:
    """Return how far the line of the message is indented; only lines that are indented further belong to it."""
    text = finding.record.text
    begin = text.rfind("\n", 0, finding.at) + 1
    line = text[begin : finding.at + 1]
    return len(line) - len(line.lstrip())

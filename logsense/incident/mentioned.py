"""Leave out failures that a program only mentions: in passing, or as something that might happen."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.finding import Finding
from logsense.util.regexes import Lazy

# Levels of lines that report no trouble.
REMARKS = ("INFO", "DEBUG")
# The beginning of a sentence about what may happen: "If you get …", "in case there is …", "This will cause '…".
_SUPPOSES = Lazy(
    r"(?i)\b(?:if|when(?:ever)?|in case) (?:you|this|it|that|there)\b[^.!?\n]{0,60}$"
    r"|\b(?:this|which|that|it) (?:will|would|may|might|can|could) (?:cause|raise|lead to|result in)\b[^.!?\n]{0,40}$"
)


def meant(failing: Sequence[Finding], living: Sequence[Finding]) -> list[Finding]:
    """Return `failing` without those that are only mentioned: what might happen, and remarks that others follow.

    Others are later failures and what shows that the run went on, `living`.
    """
    failing = [f for f in failing if not _is_supposed(f)]
    remarks = [f for f in failing if _is_remark(f)]
    last = max((f.offset for f in (*living, *failing) if f not in remarks), default=-1)
    return [f for f in failing if f.offset > last or f not in remarks]


def _is_remark(finding: Finding) -> bool:
    """Return whether a program may only mention the failure: for debugging, or within its own sentence."""
    record = finding.record
    if record.prefix.level not in REMARKS or record.raised is not None or finding.signature.kind != "failure":
        return False
    before = record.text[: finding.at]
    return record.prefix.level == "DEBUG" or (bool(before.strip()) and "\n" not in before)


def _is_supposed(finding: Finding) -> bool:
    """Return whether the message is in a sentence about what may happen."""
    text = finding.record.text
    begin = text.rfind("\n", 0, finding.at) + 1
    if " " not in text[begin : finding.at].strip():
        return False
    return _SUPPOSES.search(text, begin, finding.at) is not None

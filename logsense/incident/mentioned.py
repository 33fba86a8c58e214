"""Leaves out failures that a program only speaks of: in passing, as something that might come, or time and again."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.util.regexes import Lazy

# Levels of lines that tell of no trouble.
REMARKS = ("INFO", "DEBUG")
# The beginning of a sentence about what may happen: "If you get …", "in case there is …", "This will cause '…".
_SUPPOSES = Lazy(
    r"(?i)\b(?:if|when(?:ever)?|in case) (?:you|this|it|that|there)\b[^.!?\n]{0,60}$"
    r"|\b(?:this|which|that|it) (?:will|would|may|might|can|could) (?:cause|raise|lead to|result in)\b[^.!?\n]{0,40}$"
)
# The beginning of a warning that a program prints of what it could not do: "Warning: failed to load …: No such file".
_WARNS = Lazy(r"(?i)\W{0,4}warning: [^\n]{0,200}?\b(?:fail|could ?n[o']t|cannot|can't|unable|error|skip)")
_NAME = Lazy(r"\w{4,}")


def meant(failing: list[Finding], living: list[Finding]) -> list[Finding]:
    """`failing` without those that are only mentioned: what might happen, and what was said in passing before the run
    went on or failed of something else."""
    failing = [f for f in failing if not _is_supposed(f)]
    raised = [f for f in failing if f.record.raised is not None and "generic" not in f.signature.traits]
    remarks = [f for f in failing if _is_remark(f) or _is_warned(f, raised)]
    last = max((f.offset for f in (*living, *failing) if f not in remarks), default=-1)
    return [f for f in failing if f.offset > last or f not in remarks]


def without_quotes(findings: Sequence[Finding], signs: Signs) -> list[Finding]:
    """Return `findings` without those in a line that quotes what a language model was asked, or answered."""
    return [one for one in findings if not signs.says("quote", one.text)]


def _is_remark(finding: Finding) -> bool:
    """Return whether a program may only mention the failure: for debugging, or in its own sentence below a warning."""
    record = finding.record
    if record.prefix.level not in REMARKS or record.raised is not None or finding.signature.kind != "failure":
        return False
    before = record.text[: finding.at]
    return record.prefix.level == "DEBUG" or (bool(before.strip()) and "\n" not in before)


def _is_warned(finding: Finding, raised: Sequence[Finding]) -> bool:
    """Return whether the program only warned of the failure, and later ended with an unrelated known exception."""
    record = finding.record
    if record.raised is not None or finding.signature.kind != "failure" or _WARNS.match(record.text) is None:
        return False
    if not raised or raised[-1].offset <= record.offset:
        return False
    ended = raised[-1].record.raised
    names = [word for value in finding.captures.values() for word in _NAME.findall(str(value))]
    return ended is not None and not any(name in ended.message for name in names)


def _is_supposed(finding: Finding) -> bool:
    """Return whether the message is in a sentence about what may happen."""
    text = finding.record.text
    begin = text.rfind("\n", 0, finding.at) + 1
    if " " not in text[begin : finding.at].strip():
        return False
    return _SUPPOSES.search(text, begin, finding.at) is not None

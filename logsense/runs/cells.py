"""Tells which cell of a notebook is to be explained where several failed: behind one that fails, others are run."""

from __future__ import annotations

import re

from logsense.model.finding import Finding
from logsense.model.reading import Reading
from logsense.runs.failures import failures_in

# https://docs.python.org/3/library/exceptions.html#NameError
_UNDEFINED = re.compile(r"name '(\w{1,80})' is not defined")
_MOST = 8  # other cells that are told of, and cells that one missing name after the other leads back to
LONGEST_LINE = 400  # characters of code in which a name is looked for


def cells_apart(reading: Reading) -> tuple[Reading, list[Reading]]:
    """Return `reading` with the failures of the last cell that failed, and a reading for each other cell that failed.

    A name that is not defined because the cell that defines it failed leads back to that cell.
    """
    failed: dict[int, list[Finding]] = {}
    for finding in failures_in(reading.findings) if reading.parts else ():
        number = _part_of(reading, finding)
        if number is not None and (reading.parts[number].failed or finding.record.raised is not None):
            failed.setdefault(number, []).append(finding)
    if len(failed) < 2:
        return reading, []
    numbers = [*failed]
    main = _root(reading, failed, numbers)
    others = [number for number in numbers if number != main]
    apart = {id(finding) for number in others for finding in failed[number]}
    told = reading._replace(findings=[finding for finding in reading.findings if id(finding) not in apart])
    return told, [alone(reading, failed[number]) for number in others[-_MOST:]]


def alone(reading: Reading, findings: list[Finding]) -> Reading:
    """Return `reading` as if its log ended with the last of `findings`, and held no others."""
    lines = findings[-1].record.lines[-1]
    return reading._replace(findings=findings, lines=lines, places=None, restarts=(), end=None)


def _part_of(reading: Reading, finding: Finding) -> int | None:
    line = finding.record.lines[0]
    return next((n for n in reversed(range(len(reading.parts))) if reading.parts[n].first_line <= line), None)


def _root(reading: Reading, failed: dict[int, list[Finding]], numbers: list[int]) -> int:
    """Return the last cell that failed, or an earlier one that should have defined the name that this cell misses."""
    at = len(numbers) - 1
    for _ in range(_MOST):
        missing = {name for finding in failed[numbers[at]] if (name := _undefined(finding))}
        before = next(
            (n for n in reversed(range(at)) if any(_defines(reading.parts[numbers[n]].code, name) for name in missing)),
            None,
        )
        if before is None:
            break
        at = before
    return numbers[at]


def _undefined(finding: Finding) -> str:
    raised = finding.record.raised
    found = _UNDEFINED.search(raised.message) if raised and raised.type == "NameError" else None
    return found[1] if found else ""


def _defines(code: str, name: str) -> bool:
    """Return whether Python code defines this name: by `=`, `for`, `def`, `class`, `import`, `as` or `with … as`."""
    bound = rf"(?m)^[ \t]*(?:\w[\w, ()]*,[ \t]*)?{name}\b[ \t]*(?:,[\w, ()]*|:[ \t\w.\[\],]+)?=(?!=)"
    named = rf"\b(?:for|def|class|import|as)[ \t]+(?:\w+,[ \t]*)*{name}\b"
    short = "\n".join(line[:LONGEST_LINE] for line in code.split("\n"))
    return re.search(bound, short) is not None or re.search(named, short) is not None

"""Tells the programs of one log apart that failed one after the other, as commands of a script that goes on."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.finding import Finding
from logsense.model.record import Record
from logsense.util.frame_files import is_own


def programs_apart(failing: Sequence[Finding], place: tuple[str, int]) -> list[list[Finding]]:
    """Return the findings of each other program in one source, in order; none if it is unknown which program failed at
    `place`.

    What follows from another failure, as a status that was checked, is of no program: of two that call each other, the
    outer one says such things.
    """
    failed = next((one.record for one in failing if place in map(one.record.place, one.record.lines)), None)
    records: dict[int, list[Finding]] = {}
    for finding in failing:
        if failed is not None and finding.record.source == failed.source:
            records.setdefault(finding.offset, []).append(finding)
    programs: dict[str, list[Finding]] = {}
    main = ""
    for found in records.values():
        name = _program(found)
        if name:
            programs.setdefault(name, []).extend(found)
        if failed in [one.record for one in found]:
            main = name
    return [found for name, found in programs.items() if name != main] if main else []


def _program(found: Sequence[Finding]) -> str:
    """Return the name of the script that ended with the findings of one record; "" if unknown."""
    kinds = {one.signature.kind for one in found if "generic" not in one.signature.traits}
    if kinds != {"failure"}:
        return ""
    refused = (one.captures.get("program") for one in found if "refusal" in one.signature.traits)
    return next((_stem(str(name)) for name in refused if name), "") or _raising(found[0].record)


def _raising(record: Record) -> str:
    frames = record.raised.frames if record.raised and record.raised.type else ()
    script = frames[0] if frames and frames[0].function == "<module>" else None
    return _stem(script.file) if script and script.file.endswith(".py") and is_own(script.file) else ""


def _stem(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2].removesuffix(".py")

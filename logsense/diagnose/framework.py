"""Which framework a run used, by what its messages and tracebacks speak of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from logsense.model.catalog import Program
    from logsense.model.record import Record
    from logsense.model.scan import Incident

SHARED = 0.1  # what a message says for a framework whose parts others load, too


def framework_of(incident: Incident, programs: Mapping[str, Program]) -> str:
    """The framework that most findings and traceback frames speak of; "" when none does."""
    found = (*incident.failing, *incident.context)
    texts = [_paths_text(finding.record) for finding in found]
    whole = "\n".join(texts)
    named = [one for one in programs.values() if one.framework and any(path in whole for path in one.paths)]
    votes: dict[str, float] = {}
    for finding, text in zip(found, texts, strict=True):
        program = programs.get(finding.signature.program)
        if program and program.framework:
            votes[program.framework] = votes.get(program.framework, 0) + (SHARED if program.shared else 1)
        for program in named:
            if any(path in text for path in program.paths):
                votes[program.framework] = votes.get(program.framework, 0) + 0.5
    return max(votes, key=lambda name: votes[name]) if votes else ""


def _paths_text(record: Record) -> str:
    """What of a record may name paths: its frames, or else its text."""
    return " ".join(frame.file for frame in record.raised.frames) if record.raised else record.text[:2000]

"""Tells what stands in a log beside its failure: lines that are harmless, and those that cost a run its GPU."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.advise.proof import proof
from logsense.incident.signs import KILLED, Signs
from logsense.model.finding import Finding
from logsense.model.reading import Incident
from logsense.model.report import Evidence, Noise

WITHOUT_GPU = "without_gpu"


def harmless(incident: Incident, signs: Signs) -> tuple[Noise, ...]:
    """Lines that look alarming and are not, and failures that the run went on after, one for each message: not the
    programs that were killed."""
    costly = {finding.signature.id for finding in _costly(incident)}
    shown: dict[str, Noise] = {}
    for finding in (*incident.noise, *incident.survived):
        signature = finding.signature
        killed = signs.act(signature.id) == KILLED
        if not killed and signature.id not in shown and signature.id not in costly:
            says = signature.says or f"{signature.title}: the run went on after it"
            shown[signature.id] = Noise(signature.id, incident.counts.get(signature.id, 1), says)
    return tuple(shown.values())


def without_gpu(incident: Incident) -> tuple[Evidence, ...]:
    """Return the lines in which a run that has not failed says that it does without the GPU, one for each message."""
    first: dict[str, Finding] = {}
    for finding in _costly(incident):
        first.setdefault(finding.signature.id, finding)
    return tuple(proof(finding.signature.title, finding) for finding in first.values())


def _costly(incident: Incident) -> Iterator[Finding]:
    """Yield warnings: a run that an exception ended was started again, perhaps with the GPU."""
    for finding in (*incident.context, *incident.survived):
        if WITHOUT_GPU in finding.signature.traits and finding.record.raised is None:
            yield finding

"""Finds progress reports in the last records of a log."""

from __future__ import annotations

from logsense.match.verify import Verifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.model.catalog import Catalog
    from logsense.model.finding import Finding
    from logsense.model.record import Record

NEWEST = 1500


def progress_in(catalog: Catalog, records: Sequence[Record]) -> list[Finding]:
    """The progress findings in `records`, at most one a record, in order; only the newest records are looked at."""
    verifier = Verifier()
    signatures = [catalog.signature(index) for index in catalog.progress]
    literals = [[pattern.literal for pattern in signature.match] for signature in signatures]
    found = []
    for number in range(max(0, len(records) - NEWEST), len(records)):
        record = records[number]
        if record.raised is not None:
            continue
        text = record.text
        for signature, texts in zip(signatures, literals, strict=True):
            if any(literal in text for literal in texts):
                finding = verifier.find(signature, records, number)
                if finding:
                    found.append(finding)
                    break
    return found

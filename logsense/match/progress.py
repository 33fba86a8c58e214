"""Finds progress reports in the last records of a log."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.match.verify import Verifier
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.record import Record

NEWEST = 1500


def progress_in(catalog: Catalog, records: Sequence[Record], verifier: Verifier | None = None) -> list[Finding]:
    """Return the progress findings in the newest of `records`, at most one a record, in order.

    What a program is known to print goes before what any program may print.
    """
    verifier = verifier or Verifier()
    first = max(0, len(records) - NEWEST)
    whole = "\n".join(record.text for record in records[first:])
    standing = ((index, [text for text in texts if text in whole]) for index, texts in catalog.progress)
    present = [one for one in standing if one[1]]
    present.sort(key=lambda one: "generic" in catalog.signature(one[0]).traits)
    found = []
    for number in range(first, len(records)):
        record = records[number]
        if record.raised is not None:
            continue
        text = record.text
        for index, literals in present:
            for literal in literals:  # without a generator: these are thousands of quick looks
                if literal in text:
                    break
            else:
                continue
            finding = verifier.find(catalog.signature(index), records, number)
            if finding:
                found.append(finding)
                break
    return found

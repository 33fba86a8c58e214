"""Reports look-ups of values that are newer than a table of facts covers."""

from __future__ import annotations

from logsense.facts.facts import Facts
from logsense.facts.tables import NEAREST, newer_than
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog


def table_limit_notes(facts: Facts, catalog: Catalog, anchor: Finding | None) -> list[str]:
    """Return a sentence for each table that ends before a value needed by one of the facts that rules asked for."""
    notes = []
    for name in sorted(facts.asked):
        lookup = spec.lookup if (spec := facts.specs.get(name)) else None
        if lookup is None or lookup.match not in NEAREST or facts.get(name, anchor):
            continue
        wanted = {column: fact.value for column, source in lookup.where if (fact := facts.get(source, anchor))}
        table = catalog.table(lookup.table)
        newer = newer_than(table, wanted) if table else None
        if table and newer:
            value, last = newer
            source = next((one for column, one in lookup.where if str(wanted.get(column)) == value), "")
            what = facts.specs[source].title if source in facts.specs else ""
            notes.append(
                f"logsense has no data on {value}{what and f' ({what})'} yet: "
                f"its table “{table.title}” of {table.dated} ends at {last}."
            )
    return list(dict.fromkeys(notes))

"""Says where a table of facts ends before the value that was to be looked up."""

from __future__ import annotations

from logsense.facts.facts import Facts
from logsense.facts.tables import NEAREST, newer_than
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog


def beyond_tables(facts: Facts, catalog: Catalog, anchor: Finding | None) -> list[str]:
    """A sentence for each table that ends before a value that one of the facts `asked` for was to be looked up by."""
    said = []
    for name in sorted(facts.asked):
        lookup = spec.lookup if (spec := facts.specs.get(name)) else None
        if lookup is None or lookup.match not in NEAREST or facts.get(name, anchor):
            continue
        wanted = {column: fact.value for column, source in lookup.where if (fact := facts.get(source, anchor))}
        table = catalog.table(lookup.table)
        newer = newer_than(table, wanted) if table else None
        if table and newer:
            value, last = newer
            said.append(
                f"logsense has no data on {value} yet: its table “{table.title}” of {table.dated} ends at {last}."
            )
    return list(dict.fromkeys(said))

"""Finds the row of a table that values select, and says where a table ends before them."""

from __future__ import annotations

from collections.abc import Mapping

from logsense.model.rule import Table
from logsense.model.values import fact_value, version_key

NEAREST = ("at_most", "release")  # how rows are matched of which the newest that fits counts


def best_row(table: Table, wanted: Mapping[str, object], match: str) -> dict[str, object] | None:
    """The row of `table` whose columns fit the values `wanted`; None where none does.

    `match` is "equal", "exactly" (in the same letters, large and small), "dotted" (exactly, or as the first parts of a
    dotted name), "within" (the cell stands in the text),
    "release" (version and cell are the same as far as both go) or "at_most": then it is the row that comes nearest
    from below. Of a version that is newer than the table covers, nothing is known.
    """
    if match in NEAREST and newer_than(table, wanted):
        return None
    best: tuple[tuple[int, ...], dict[str, object]] | None = None
    for row in table.rows:
        key: tuple[int, ...] = ()
        for column, value in wanted.items():
            cell, kind = row.get(column), table.columns.get(column, "text")
            if cell is None or not _fits(kind, cell, value, match):
                break
            key += version_key(str(cell)) if kind == "version" else (int(float(str(cell))) if kind != "text" else 0,)
        else:
            if match not in NEAREST:
                return row
            if best is None or key >= best[0]:
                best = (key, row)
    return best[1] if best else None


def newer_than(table: Table, wanted: Mapping[str, object]) -> tuple[str, str] | None:
    """The value that is newer than the table covers, and up to where it does; None where it covers all."""
    for column, last in table.known_until.items():
        until, have = version_key(last), version_key(str(wanted.get(column, "")))
        if have[: len(until)] > until:
            return str(wanted[column]), last
    return None


def _fits(kind: str, cell: object, value: object, match: str) -> bool:
    if kind == "version":
        row, have = version_key(str(cell)), version_key(str(value))
        both = min(len(row), len(have)) if match == "release" else len(row)
        return row <= have if match == "at_most" else bool(both) and row[:both] == have[:both]
    if kind == "text" and match in ("exactly", "dotted"):
        name, whole = str(cell), str(value)
        return name == whole or (match == "dotted" and whole.startswith(f"{name}."))
    if kind == "text":
        word, text = str(cell).lower(), str(value).lower()
        return word in text if match == "within" else word == text
    number = fact_value(kind, value)
    if not isinstance(number, (int, float)) or not isinstance(cell, (int, float)):
        return cell == number
    return cell <= number if match == "at_most" else cell == number

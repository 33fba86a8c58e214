"""Finds the row of a table for given values, and values that a table does not cover."""

from __future__ import annotations

from collections.abc import Mapping

from logsense.model.rule import Table
from logsense.model.values import fact_value, version_key

NEAREST = ("at_most", "release")  # kinds of match by which several rows may fit: the newest counts
NEWER = "newer"  # asks only whether the table ends before the value


def best_row(table: Table, wanted: Mapping[str, object], match: str) -> dict[str, object] | None:
    """Return the row of `table` whose columns match the values `wanted`; None if none does.

    `match` is "equal", "exactly" (case-sensitive), "dotted" (exactly, or as the first parts of a dotted name), "within"
    (the text contains the cell), "release" (version and cell agree as far as both go) or "at_most" (the nearest row
    from below). Versions newer than the table covers match no row.
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
    """Return the value that is newer than the table covers, and where the table ends; None if it covers all."""
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

"""Finds the row of a table that values select."""

from __future__ import annotations

from logsense.model.values import fact_value, version_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.rule import Table


def best_row(table: Table, wanted: dict[str, object], match: str) -> dict[str, object] | None:
    """The row of `table` whose columns fit the values `wanted`; None where none does.

    `match` is "equal", "exactly" (in the same letters, large and small), "within" (the cell stands in the text) or
    "at_most": then it is the row that comes nearest from below.
    """
    best: tuple[tuple[int, ...], dict[str, object]] | None = None
    for row in table.rows:
        key: tuple[int, ...] = ()
        for column, value in wanted.items():
            cell, kind = row.get(column), table.columns.get(column, "text")
            if cell is None or not _fits(kind, cell, value, match):
                break
            key += version_key(str(cell)) if kind == "version" else (int(float(str(cell))) if kind != "text" else 0,)
        else:
            if match != "at_most":
                return row
            if best is None or key > best[0]:
                best = (key, row)
    return best[1] if best else None


def _fits(kind: str, cell: object, value: object, match: str) -> bool:
    at_most = match == "at_most"
    if kind == "version":
        row, have = version_key(str(cell)), version_key(str(value))
        return row <= have if at_most else row == have[: len(row)]
    if kind == "text" and match == "exactly":
        return str(cell) == str(value)
    if kind == "text":
        word, text = str(cell).lower(), str(value).lower()
        return word in text if match == "within" else word == text
    number = fact_value(kind, value)
    if not isinstance(number, (int, float)) or not isinstance(cell, (int, float)):
        return cell == number
    return cell <= number if at_most else cell == number

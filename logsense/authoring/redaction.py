"""Check the tables of what a redacted report hides: every pattern finds its sample, and lets its near miss be."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Sequence

import regex

from logsense.catalog.decode import Problems
from logsense.share.redact.patterns import Allowlist, Pattern, Row, find_spans

TABLES = ("_tables/redaction.yaml", "_tables/redaction-own.yaml")


def grown(text: str) -> str:
    """Return `text` with {40} as 40 letters and digits, of both cases, and {hex:40} as 40 hexadecimal digits.

    Samples are written so that nothing in them looks like a secret to those who search repositories for them.
    """
    rng = random.Random(7)  # noqa: S311 - nothing here is secret

    def some(found: re.Match[str]) -> str:
        of = string.hexdigits[:16] if found[1] else string.ascii_letters + string.digits
        return "".join(rng.choices(of, k=max(int(found[2]) - 3, 0))) + ("4b7" if found[1] else "aZ4")

    return re.sub(r"\{(hex:)?(\d+)\}", some, text)


def check_redaction(data: object, problems: Problems, kept: Sequence[Row] = ()) -> None:
    """Note what is wrong with the rows of `data`, the content of such a table; `kept` are the names that stay."""
    keeps = Allowlist(kept)
    rows = data.get("rows") if isinstance(data, dict) else None
    for number, row in enumerate(rows if isinstance(rows, list) else ()):
        if not isinstance(row, dict):
            continue
        missing = [key for key in ("kind", "says", "pattern") if not isinstance(row.get(key), str)]
        if missing:
            problems.add(("rows", number), f"{', '.join(missing)} must be there, as text")
            continue
        try:
            regex.compile(row["pattern"])
        except regex.error as error:
            problems.add(("rows", number, "pattern"), f"no regular expression: {error}")
            continue
        _check_samples(row, number, problems, keeps)


def _check_samples(row: dict[str, str], number: int, problems: Problems, keeps: Allowlist) -> None:
    pattern = [Pattern(row)]
    hints = str(row.get("hints") or "")
    if hints != hints.lower():
        problems.add(("rows", number, "hints"), "hints are compared in lower case")
    if "sample" in row and not find_spans(grown(str(row["sample"])), pattern, keeps):
        problems.add(("rows", number, "sample"), "the pattern does not find its sample")
    if "near_miss" in row and find_spans(grown(str(row["near_miss"])), pattern, keeps):
        problems.add(("rows", number, "near_miss"), "the pattern finds its near miss")

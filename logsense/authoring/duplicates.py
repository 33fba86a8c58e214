"""Find messages of one kind that look for the same text."""

from __future__ import annotations

from logsense.model.knowledge import Catalog
from logsense.model.signature import Signature

Text = tuple[str, bool, str]
# What is shorter belongs to a hand-written pattern, whose words are in its groups.
LEAST_LETTERS = 10
# What carries values or tells the course of a run may share its text with what speaks for a cause.
ARGUING = frozenset({"failure", "consequence", "hint", "noise"})


def texts(signature: Signature) -> set[Text]:
    """Return what the signature's spellings say apart from their slots, each with its kind and whether case counts."""
    if signature.kind not in ARGUING:
        return set()
    said = {_outside_groups(pattern.regex) for pattern in signature.match}
    return {
        (signature.kind, signature.ignore_case, text) for text in said if sum(map(str.isalpha, text)) >= LEAST_LETTERS
    }


def by_text(catalog: Catalog) -> dict[Text, set[str]]:
    """Return the ids of the catalog's messages by the text that they look for."""
    found: dict[Text, set[str]] = {}
    for number in range(len(catalog.ids)):
        signature = catalog.signature(number)
        for text in texts(signature):
            found.setdefault(text, set()).add(signature.id)
    return found


def _outside_groups(regex: str) -> str:
    """Return what of a regex is in no group, with a mark for each group between."""
    kept, depth, escaped = [], 0, False
    for letter in regex:
        if not escaped and letter == "(":
            kept.append("\0" if depth == 0 else "")
            depth += 1
        elif not escaped and letter == ")":
            depth -= 1
        elif depth == 0:
            kept.append(letter)
        escaped = letter == "\\" and not escaped
    return "".join(kept).removesuffix("\\.").strip("\0")

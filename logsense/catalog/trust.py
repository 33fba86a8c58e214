"""What knowledge may do by where it comes from: built in, the user's own, or a project's."""

from __future__ import annotations

from typing import Any

# The fields whose texts people read.
SENTENCES = ("title", "says", "explain", "do", "why")
# Fields in which such a name is a slot's, a fact's or a log's.
_OTHERS = ("when", "facts", "samples", "examples")
# What a user's own tables add to the redaction; those of its name without it are built in.
GUARDED, ADDITIONS = "redaction", ("redaction-own", "redaction-own-keeps")


def is_guarded(table: str, origin: str) -> bool:
    """Return whether to ignore a `table` that is not built in: a user's may add to the redaction, a project's not."""
    return table.startswith(GUARDED) and (bool(origin) or table not in ADDITIONS)


def without_claims(data: Any, origin: str) -> Any:
    """Return the content of a project's file with its `origin` in every sentence, without what renames knowledge."""
    if isinstance(data, dict):
        return {key: _claims(key, value, origin) for key, value in data.items() if key != "was"}
    return [without_claims(one, origin) for one in data] if isinstance(data, list) else data


def _claims(key: str, value: Any, origin: str) -> Any:
    if key in _OTHERS:
        return value
    return signed(value, origin) if key in SENTENCES else without_claims(value, origin)


def signed(wordings: Any, origin: str) -> Any:
    """Return `wordings`, a text or several that each may have conditions, with their `origin` at the end."""
    if isinstance(wordings, list):
        return [signed(one, origin) for one in wordings]
    if isinstance(wordings, dict):
        return {key: signed(value, origin) if key == "text" else value for key, value in wordings.items()}
    if not isinstance(wordings, str) or not wordings.strip():
        return wordings
    text = wordings.strip()
    end = text[-1] if text[-1] in ".:!?" else ""
    return f"{text[: len(text) - len(end)]} (from {origin}){end}"

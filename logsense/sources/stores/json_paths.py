"""Look up values in JSON of any shape."""

from __future__ import annotations

from typing import Any


def inside(found: object, *names: str) -> Any:
    """Return the value under the nested keys `names`; None if it does not exist."""
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def objects(found: object, *names: str) -> list[dict[str, Any]]:
    """Return the objects in the list under the nested keys `names`; an empty list if it does not exist."""
    value = inside(found, *names)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def dotted(found: object, path: str) -> Any:
    """Return the value at a.b.c, whether nested or with dots in its keys; None if it does not exist."""
    if not isinstance(found, dict):
        return None
    if path in found:
        return found[path]
    head, _, rest = path.partition(".")
    while rest:
        if head in found:
            return dotted(found[head], rest)
        more, _, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None

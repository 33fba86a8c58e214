"""Takes values out of JSON that another program made, whatever its shape."""

from __future__ import annotations

from typing import Any


def inside(found: object, *names: str) -> Any:
    """What stands under these names, one in the other; None where it is not there."""
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def objects(found: object, *names: str) -> list[dict[str, Any]]:
    """The objects in the list that stands there; none where there is no such list."""
    held = inside(found, *names)
    return [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []


def dotted(found: object, path: str) -> Any:
    """What stands at a.b.c, whether nested or spelled with dots; None where it is not there."""
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

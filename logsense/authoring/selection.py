"""Check how fixes and checks are selected: by what they need, in words that are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from logsense.catalog.decode import Path, Problems
from logsense.catalog.rules import OFFERED
from logsense.model.knowledge import Catalog


def check_selection(parts: Iterable[tuple[Path, Any]], catalog: Catalog, problems: Problems) -> None:
    """Report fixes and checks of `parts`, cause files or meanings, that can't be selected as written."""
    for path, part in parts:
        for key in OFFERED if isinstance(part, dict) else ():
            for number, (at, item) in enumerate(_listed(part.get(key), (*path, key))):
                _check_applies(item, at, catalog, problems)
                if item.get("otherwise") and number == 0:
                    problems.add((*at, "otherwise"), "there is none before it that it could replace")


def _check_applies(item: dict[str, Any], path: Path, catalog: Catalog, problems: Problems) -> None:
    settings = catalog.settings()
    applies = item.get("applies")
    for key, words in applies.items() if isinstance(applies, dict) else ():
        if key not in settings:
            problems.add((*path, "applies", key), f"{key} is none of {', '.join(settings)}")
            continue
        for word in _several(words):
            if word not in settings[key]:
                problems.add((*path, "applies", key), f"{word} is none of {', '.join(settings[key])}")


def _listed(items: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the mappings of a list, each with its path."""
    for number, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield (*path, number), item


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]

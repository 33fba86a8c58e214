"""A regex that is compiled when first used: most logs need few of them, and compiling is what start-up costs."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Lazy:
    """Stands for `re.compile(source)`; `match`, `search`, `fullmatch`, `sub` and `finditer` compile on first use."""

    if TYPE_CHECKING:
        match: Callable[..., re.Match[str] | None]
        search: Callable[..., re.Match[str] | None]
        fullmatch: Callable[..., re.Match[str] | None]
        finditer: Callable[..., Any]
        sub: Callable[..., str]

    def __init__(self, source: str | bytes) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(re.compile(self._source), name)
        setattr(self, name, method)
        return method


class LazyBytes(Lazy):
    """The same for bytes."""

    if TYPE_CHECKING:
        sub: Callable[..., bytes]  # type: ignore[assignment]

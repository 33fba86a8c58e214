"""Keeps engines between the inputs of a long run: making them takes longer than most inputs do."""

from __future__ import annotations

from functools import cache

from logsense import pipeline
from logsense.match import engines, read
from logsense.model.knowledge import Literals

PLAIN_EVERY = 8  # inputs: what is kept is Hyperscan, and small inputs are searched by plain search outside of here

_turn = 0


@cache
def _kept(number: int, kind: str, folder: str | None) -> engines.Engine:
    literals = _literals[number]
    return engines.plain_engine(literals) if kind == "plain" else engines.hyperscan_engine(literals, folder)


_literals: dict[int, Literals] = {}


def _engine_for(literals: Literals, size: int | None, cache_folder: str | None = None) -> engines.Engine:
    global _turn
    _turn += 1
    _literals.setdefault(id(literals), literals)
    return _kept(id(literals), "hyperscan" if _turn % PLAIN_EVERY else "plain", cache_folder)


def keep_engines() -> None:
    """Let all that is explained in this process share its engines; nothing changes where Hyperscan is missing."""
    try:
        import hyperscan  # noqa: F401
    except ImportError:
        return
    read.engine_for = _engine_for  # type: ignore[attr-defined]
    pipeline.engine_for = _engine_for  # type: ignore[attr-defined]

"""Shares engines between the inputs of a long run, since building them takes longer than most inputs."""

from __future__ import annotations

from functools import cache

from logsense.match import engines, read, streamed
from logsense.match.engines import engine_for
from logsense.match.pieces import Engine
from logsense.model.knowledge import Literals

PLAIN_EVERY = 8  # inputs: every so many, the plain search runs, which small inputs use outside of tests

_turn = 0


@cache
def _kept(number: int, kind: str, folder: str | None) -> Engine:
    literals = _literals[number]
    return engines.PlainEngine(literals) if kind == "plain" else engine_for(literals, None, folder)


_literals: dict[int, Literals] = {}


def _engine_for(literals: Literals, size: int | None, cache_folder: str | None = None) -> Engine:
    global _turn
    _turn += 1
    _literals.setdefault(id(literals), literals)
    return _kept(id(literals), "hyperscan" if _turn % PLAIN_EVERY else "plain", cache_folder)


def keep_engines() -> None:
    """Share engines among everything explained in this process; no effect without Hyperscan."""
    try:
        import hyperscan  # noqa: F401
    except ImportError:
        return
    read.engine_for = _engine_for  # type: ignore[attr-defined]
    streamed.engine_for = _engine_for  # type: ignore[attr-defined]

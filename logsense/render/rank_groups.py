"""Ranks that did the same at the end, in one row."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.report import RankRow
from logsense.model.values import show_seconds
from logsense.render.words import ranks_in_words
from logsense.util.regexes import Lazy

MOST_HOSTS = 8
_NUMBER = Lazy(r"\d+")


def rank_groups(rows: Sequence[RankRow]) -> list[list[RankRow]]:
    """Return `rows` in groups of ranks whose messages differ in numbers only, those at fault first."""
    groups: dict[tuple[object, ...], list[RankRow]] = {}
    for row in rows:
        messages = tuple(
            "" if mark.kind == "progress" else _NUMBER.sub("0", mark.says) for mark in row.marks if mark.kind != "last"
        )
        groups.setdefault((row.at_fault, messages), []).append(row)
    return sorted(groups.values(), key=lambda group: (not group[0].at_fault, group[0].rank))


def groups_in_words(rows: Sequence[RankRow]) -> list[tuple[str, str, bool]]:
    """Return the groups: "ranks 0–2 on node7", what they did last, and whether they are at fault."""
    return [(_who(group), history_in_words(group[0]), group[0].at_fault) for group in rank_groups(rows)]


def _who(group: Sequence[RankRow]) -> str:
    hosts = sorted({row.host for row in group if row.host})
    where = f" on {', '.join(hosts[:MOST_HOSTS])}{' …' if len(hosts) > MOST_HOSTS else ''}" if hosts else ""
    return f"{ranks_in_words([row.rank for row in group])}{where}"


def history_in_words(row: RankRow) -> str:
    """Return what a rank did last: "step 40 → a collective timed out (after 30 min)"."""
    parts = [
        f"{mark.says}{f' (after {show_seconds(mark.at_s)})' if mark.at_s else ''}"
        for mark in row.marks
        if mark.kind != "last" and mark.says
    ]
    if not any(mark.kind in ("failure", "consequence") for mark in row.marks):
        parts.append("then nothing" if parts else "no error of its own")
    return " → ".join(parts)

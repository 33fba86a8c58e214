"""Check commands that are suggested: none that destroys hides behind another, and its risk says what it may cost."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from logsense.advise.commands import NOTE
from logsense.advise.wording import PLACEHOLDER
from logsense.catalog.decode import Path, Problems
from logsense.model.knowledge import Catalog
from logsense.model.rule import CheckRule, FixRule, Table
from logsense.util.noun import NamedTuple

TABLE = "command-risks"
DESTROYS, WRAPS = "destroys", "wraps"
_ENDS_STEP = re.compile(r"[;&|\n]+|[()<>]+")
_PIPE = "|"
_VALUE = "VALUE"  # stands for any of the log
_CALL = re.compile(r"\w\(|\s=\s")
_WRITES = re.compile(rf"\s\d?>{{1,2}}\s*\S*{_VALUE}")
_SET = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_INSIDE = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_CLAUSE = re.compile(r"[:;,.#]\s|\b(?:or|then|and|with)\b")


class Weight(NamedTuple):
    """The program of a command that `destroys`, or "", whether it is `alone` in it, and all risks."""

    destroys: str
    alone: bool
    risks: set[str]


def check_commands(offered: Iterable[tuple[Path, FixRule | CheckRule]], catalog: Catalog, problems: Problems) -> None:
    """Note every command of fixes and checks, each with its place, that destroys beside something else.

    Note, too, every risk that a fix leaves out.
    """
    table = catalog.table(TABLE)
    if table is None:
        return
    for path, item in offered:
        for command in _commands(item):
            _check_value(command, (*path, "run"), table, problems)
            found = weigh(command, table)
            if not isinstance(item, FixRule):
                if found.destroys:
                    problems.add((*path, "run"), f"{found.destroys} destroys, so it is no check: {command}")
                continue
            if found.destroys and not found.alone:
                sentence = f"{found.destroys} destroys, so it must be a command of its own: {command}"
                problems.add((*path, "run"), sentence)
            missing = found.risks - set(item.risk.split(","))
            if missing:
                problems.add((*path, "risk"), f"risk leaves out {', '.join(sorted(missing))} of {command}")


def _commands(item: FixRule | CheckRule) -> Iterator[str]:
    for _, wording in item.run.variants:
        yield PLACEHOLDER.sub(_VALUE, wording)


def _check_value(command: str, path: Path, table: Table, problems: Problems) -> None:
    """Note where a value of the log would be run, or written to."""
    body = NOTE.sub("", command)
    if _CALL.search(body):  # a line of another language
        return
    if any(_VALUE in name.partition("=")[0] for name in _programs(body, table)):
        problems.add(path, f"a value of the log would be run: {command}")
    if _WRITES.search(body):
        problems.add(path, f"a value of the log would name a file that is written: {command}")


def _programs(command: str, table: Table) -> Iterator[str]:
    """Yield the words of `command` that name a program, also in what one of them runs."""
    wraps = [str(row["program"]) for row in table.rows if row["kind"] == WRAPS]
    for line in command.split("\n"):
        for words in (words for step in steps_of(line) for words in step):
            rest = [word for word in words if not _SET.fullmatch(word)]
            yield from rest[:1]
            if rest and any(re.fullmatch(one, rest[0].rpartition("/")[2]) for one in wraps):
                for word in rest[1:]:
                    yield from _programs(word, table) if " " in word else ()


def weigh(command: str, table: Table) -> Weight:
    """Return what `command` may cost; a note behind it counts as a step of its own."""
    note = NOTE.search(command)
    steps = [step for line in NOTE.sub("", command).split("\n") for step in steps_of(line)]
    weights = [_weight(words, table) for step in steps for words in step]
    noted = [_weight(clause.split(), table) for clause in _CLAUSE.split(note[0])] if note else []
    noted = [one for one in noted if one.destroys]
    alone = sum(not _only_sets(step) for step in steps) == 1 and not noted
    return _sum(weights + noted, alone=alone)


def _sum(parts: list[Weight], *, alone: bool = True) -> Weight:
    return Weight(
        next((one.destroys for one in parts if one.destroys), ""),
        alone and all(one.alone for one in parts if one.destroys),
        {risk for one in parts for risk in one.risks},
    )


def _weight(words: list[str], table: Table) -> Weight:
    """Return what a single command costs, with those that it runs."""
    while words and _SET.fullmatch(words[0]):
        words = words[1:]
    parts = []
    for row in table.rows if words else ():
        name = words[0].rpartition("/")[2]
        if not re.fullmatch(str(row["program"]), name):
            continue
        if not re.search(str(row.get("words", "")), f" {' '.join(words[1:])} "):
            continue
        if row["kind"] == WRAPS:
            parts += [_weight(words[at:], table) for at in range(1, len(words))]
            parts += [weigh(word, table) for word in words[1:] if " " in word]
        else:
            risks = set(str(row["risk"]).split(","))
            parts.append(Weight(name if row["kind"] == DESTROYS else "", True, risks))
    return _sum(parts)


def _only_sets(step: list[list[str]]) -> bool:
    return all(_SET.fullmatch(word) for words in step for word in words)


def steps_of(line: str) -> Iterator[list[list[str]]]:
    """Yield the steps of a line of a shell, each a pipe of commands, those in `$(…)` first."""
    for found in _INSIDE.finditer(line):
        yield from steps_of(found[1] or found[2] or "")
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # quotes that don't close, as in a line of another language
        words = re.findall(r"[;&|()<>]+|[^\s;&|()<>]+", line)
    step: list[list[str]] = [[]]
    for word in words:
        if not _ENDS_STEP.fullmatch(word):
            step[-1].append(word)
        elif word == _PIPE or word[0] in "<>":
            step.append([])
        elif any(step):
            yield step
            step = [[]]
    if any(step):
        yield step

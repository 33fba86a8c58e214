"""Takes lines of a POSIX shell apart and tells them, command by command, as a shell of another kind has them."""

from __future__ import annotations

import re
import shlex

from logsense.diagnose.dialect import NOTE
from logsense.diagnose.searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.system import Commands

_SETS = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_BARE = re.compile(r"[\w.:/\\+=-]+", re.ASCII)
_PLAIN = re.compile(r"[\w.:/\\,+=;-]*", re.ASCII)


def retold(command: str, commands: Commands, *, timed: bool) -> str | None:
    """`command` told by `commands`; None where nothing of it can be. With `timed`, may raise TimeoutError."""
    return _Shell(commands, timed=timed).told(command)


class _Shell:
    def __init__(self, commands: Commands, *, timed: bool) -> None:
        self._commands, self._timed = commands, timed

    def told(self, command: str) -> str | None:
        lines: list[str] = []
        for line in command.split("\n"):
            note = NOTE.search(line)
            chains = _chains(NOTE.sub("", line))
            if chains is None:
                return None
            told = [self._chain(chain) for chain in chains]
            lines += [one for group in told if group for one in group]
            if note and any(told):
                lines.append(note[0].strip())
        return "\n".join(lines) or None

    def _chain(self, chain: list[list[str]]) -> list[str] | None:
        """The lines of commands of which each needs the ones before; None where one of them can't be told."""
        lines: list[str] = []
        for words in chain:
            told = self._command(words)
            if told is None:
                return None
            lines += told
        return lines

    def _command(self, words: list[str]) -> list[str] | None:
        lines: list[str | None] = []
        if words[:1] == ["unset"]:
            lines = [self._commands.unsets.format(name=name) or None for name in words[1:]]
        elif words[:1] == ["export"]:
            lines = [self._set(word) for word in words[1:]]
        else:
            while words and _SETS.fullmatch(words[0]):
                lines.append(self._set(words[0]))
                words = words[1:]
            lines += [self._pipe(words)] if words else []
        told = [line for line in lines if line is not None]
        return told if len(told) == len(lines) else None

    def _set(self, word: str) -> str | None:
        found = _SETS.fullmatch(word)
        if not found or self._matches(self._commands.unsafe, found["value"]):
            return None
        form = self._commands.sets if _PLAIN.fullmatch(found["value"]) else self._commands.sets_quoted
        return form.format(name=found["name"], value=found["value"]) or None

    def _pipe(self, words: list[str]) -> str | None:
        """A program, with a filter behind it where there is one."""
        while "|" in words:
            bar = len(words) - 1 - words[::-1].index("|")
            if not self._commands.drops.intersection(words[bar + 1 : bar + 2]):
                break
            words = words[:bar]
        if "|" not in words:
            return self._program(words)
        at = words.index("|")
        left, right = words[:at], words[at + 1 :]
        if left[-3:] == ["2", ">&", "1"]:
            left = left[:-3]
        kept, program = self._filter(right), self._program(left)
        return None if kept is None or program is None else f"{program} | {kept}"

    def _filter(self, words: list[str]) -> str | None:
        known = next((one for one in self._commands.filters if words[:1] == [one.program]), None)
        options = "".join(word[1:] for word in words[1:] if word.startswith("-"))
        wanted = [word for word in words[1:] if not word.startswith("-")]
        if known is None or len(wanted) != 1 or set(options) - set(known.options):
            return None
        if not re.fullmatch(r"[\w.|^-]+", wanted[0], re.ASCII):
            return None
        flags = "".join(known.flags.get(letter, "") for letter in dict.fromkeys(options))
        return known.put.format(flags=flags, words=wanted[0].replace("|", known.between))

    def _program(self, words: list[str]) -> str | None:
        if not words or any(re.fullmatch(r"[;&|<>()]+", word) for word in words):
            return None
        line = shlex.join(words)
        for pattern, put in self._commands.rewrites:
            line = Searcher(pattern, timed=self._timed).replaced(put, line)
        name, *rest = shlex.split(line) or [""]
        if self._commands.knows and name not in self._commands.knows:
            return None
        told = [self._word(word, program=before == "-c") for before, word in zip(["", *rest], rest, strict=False)]
        return None if None in told else " ".join([name, *(word for word in told if word)])

    def _word(self, word: str, *, program: bool) -> str | None:
        """`word`, or a `program` of Python, between double quotes where it needs some; None where it can't be told."""
        if self._matches(self._commands.foreign, word):
            return None
        if _BARE.fullmatch(word):
            return word
        if program and "'" not in word:
            word = word.replace('"', "'")
        return None if self._matches(self._commands.unsafe, word) or word.endswith("\\") else f'"{word}"'

    def _matches(self, pattern: str, text: str) -> bool:
        return bool(pattern) and Searcher(pattern, timed=self._timed).is_in(text)


def _chains(line: str) -> list[list[list[str]]] | None:
    """The chains (parted by `;`) of commands (parted by `&&`) of a line, as words; None where it can't be told."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split, lexer.commenters = True, ""
    chains: list[list[list[str]]] = [[[]]]
    try:
        for word in lexer:
            if word == ";":
                chains.append([[]])
            elif word == "&&":
                chains[-1].append([])
            else:
                chains[-1][-1].append(word)
    except ValueError:
        return None
    return [chain for chain in chains if any(chain)]

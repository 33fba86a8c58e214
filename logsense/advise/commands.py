"""Commands as a system takes them, with every value quoted for the place where it stands."""

from __future__ import annotations

import re
import shlex

from logsense.facts.setting import Searcher
from logsense.model.system import DEVICE, Commands, System
from logsense.util.noun import NamedTuple

LONGEST = 200  # characters; a longer value was cut where it is shown, and must not be cut in a command
# What means nothing but itself between quotes, to a shell. A "!" only where an "=" follows it, since interactive shells
# look up their history for others.
_PLAIN = re.compile(r"(?:[\w ./:+,=@<>~%\[\]*^-]|!(?==))*", re.ASCII)
# What means nothing but itself to whoever runs the text between the quotes, too: a second shell, a one-line program.
_NAME = re.compile(r"[\w./:+,=@%-]*", re.ASCII)
_OPTION = re.compile(r"-(?!\d)")
# What stands in front of quotes with a program in them: `sh -c '…'`, `python -c '…'`, `ssh HOST '…'`, `eval '…'`.
_RUNS = re.compile(r"(?:\s-\w*[ce]|\beval|\b(?:ssh|pdsh|srun|xargs)\b[^;&|]*)\s+$")

BARE, SINGLE, DOUBLE = "", "'", '"'


class Place(NamedTuple):
    """Where a value stands: which `quote` is open, whether what is in it `runs`, and whether a word `begins` there."""

    quote: str = BARE
    runs: bool = False
    begins: bool = True


def fit(value: str, place: Place) -> str | None:
    """Return `value` as it must be written at `place`; None if no way to write it is safe."""
    if len(value) > LONGEST or not value.isprintable():
        return None
    if _OPTION.match(value) and (place.begins or place.quote == BARE):
        return None
    if place.quote == BARE:
        from shlex import quote

        return quote(value)
    return value if (_NAME if place.runs else _PLAIN).fullmatch(value) else None


def places_at(command: str, starts: list[int]) -> list[Place]:
    """Return the place of each of the ascending `starts` in a command; quotes within a `$(…)` are its own."""
    found: list[Place] = []
    open_ = [Place()]
    skip = False
    for at, letter in enumerate(command):
        while len(found) < len(starts) and starts[len(found)] == at:
            before = command[at - 1 : at]
            found.append(open_[-1]._replace(begins=before in ("", SINGLE, DOUBLE) or before.isspace()))
        state = open_[-1].quote
        if skip or (letter == "\\" and state != SINGLE):
            skip = not skip
        elif letter in (SINGLE, DOUBLE) and state in (BARE, letter):
            runs = state == BARE and bool(_RUNS.search(command[:at]))
            open_[-1] = Place() if state else Place(letter, runs)
        elif letter == "(" and (state == BARE or (state == DOUBLE and command[at - 1] == "$")):
            open_.append(Place())
        elif letter == ")" and state == BARE and len(open_) > 1:
            open_.pop()
    return found


_SETS = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_BARE = re.compile(r"[\w.:/\\+=-]+", re.ASCII)
_PLAIN_WORD = re.compile(r"[\w.:/\\,+=;-]*", re.ASCII)


def translated(command: str, commands: Commands, *, timed: bool) -> str | None:
    """Return `command` translated by `commands`; None if nothing of it can be. Raises TimeoutError if `timed`."""
    return _Shell(commands, timed=timed).translated(command)


class _Shell:
    def __init__(self, commands: Commands, *, timed: bool) -> None:
        self._commands, self._timed = commands, timed

    def translated(self, command: str) -> str | None:
        lines: list[str] = []
        for line in command.split("\n"):
            note = NOTE.search(line)
            chains = _chains(NOTE.sub("", line))
            if chains is None:
                return None
            translated = [self._chain(chain) for chain in chains]
            lines += [one for group in translated if group for one in group]
            if note and any(translated):
                lines.append(note[0].strip())
        return "\n".join(lines) or None

    def _chain(self, chain: list[list[str]]) -> list[str] | None:
        """Return the lines of commands that each need the ones before; None if one can't be translated."""
        lines: list[str] = []
        for words in chain:
            translated = self._command(words)
            if translated is None:
                return None
            lines += translated
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
        translated = [line for line in lines if line is not None]
        return translated if len(translated) == len(lines) else None

    def _set(self, word: str) -> str | None:
        found = _SETS.fullmatch(word)
        if not found or self._matches(self._commands.unsafe, found["value"]):
            return None
        form = self._commands.sets if _PLAIN_WORD.fullmatch(found["value"]) else self._commands.sets_quoted
        return form.format(name=found["name"], value=found["value"]) or None

    def _pipe(self, words: list[str]) -> str | None:
        """Return a program, with the filter after it if there is one."""
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
        translated = [self._word(word, program=before == "-c") for before, word in zip(["", *rest], rest, strict=False)]
        return None if None in translated else " ".join([name, *(word for word in translated if word)])

    def _word(self, word: str, *, program: bool) -> str | None:
        """Return `word`, or a `program` of Python, in double quotes if needed; None if it can't be translated."""
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
    """Return the chains (separated by `;`) of commands (separated by `&&`) of a line, as words; None if invalid."""
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


# Whose lines have no use where it is lacked.
PYTHON = "python"
NOTE = re.compile(r"(?:^|\s+)# .*$")


def for_system(command: str, system: System | None) -> str | None:
    """Return `command` as `system` takes it; None if it has no such command. Options and lines of Python stay."""
    if system is None or system.commands is None:
        return command
    commands = system.commands
    if system.kind != DEVICE and (command.startswith("-") or _is_python(command)):
        return None if PYTHON in commands.lacks and not command.startswith("-") else command
    if any(text in command for text in commands.without) or _names(command) & commands.lacks:
        return None
    try:
        if commands.apart:
            return translated(command, commands, timed=system.timed)
        return "\n".join(_whole(command, commands, timed=system.timed))
    except TimeoutError:
        return None


def in_words(advice: str, device: System) -> str:
    """Return a sentence with the names that programs and variables have for `device`."""
    try:
        return _rewritten(advice, device.commands, timed=device.timed) if device.commands else advice
    except TimeoutError:
        return advice


def _rewritten(text: str, commands: Commands, *, timed: bool) -> str:
    for pattern, put in commands.rewrites:
        text = Searcher(pattern, timed=timed).replaced(put, text)
    return text


def _is_python(command: str) -> bool:
    """Return whether it is Python rather than a shell command: it parses, and calls or sets something."""
    if not re.search(r"\w\(|\s=\s", command):
        return False
    try:
        compile(command, "", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _names(command: str) -> set[str]:
    """Return the words at the places of program names."""
    return set(re.findall(r"(?:^|[;&|(\n]\s*)(?:sudo\s+(?:-\w+\s+)*)?(?:[A-Za-z_]\w*=\S*\s+)*([\w.+-]+)", command))


def _whole(command: str, commands: Commands, *, timed: bool) -> list[str]:
    """Return the lines of `command`, each translated as a whole."""
    lines = []
    for line in command.split("\n"):
        translated = _rewritten(line, commands, timed=timed)
        body = NOTE.sub("", translated)
        found = re.fullmatch(r"export((?: \w+=[\w.:/,+-]*)+)", body) if commands.sets else None
        if found:
            lines += [commands.before_sets] if commands.before_sets else []
            for one in found[1].split():
                name, _, value = one.partition("=")
                lines.append(commands.sets.format(name=name, value=value))
        else:
            lines.append(_begin(body, commands, timed=timed) + translated)
    return lines


def _begin(body: str, commands: Commands, *, timed: bool) -> str:
    """Return what to put in front of the line `body`."""
    if not body or (commands.as_is and Searcher(commands.as_is, timed=timed).is_in(body)):
        return ""
    return next((put for pattern, put in commands.begins if Searcher(pattern, timed=timed).is_all(body)), "")

"""Values from logs as words of a shell's command: quoted as the place asks for, or refused."""

from __future__ import annotations

import re

from logsense.model.noun import NamedTuple

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
    """`value` as it has to be written at `place`; None where no writing is safe."""
    if len(value) > LONGEST or not value.isprintable():
        return None
    if _OPTION.match(value) and (place.begins or place.quote == BARE):
        return None
    if place.quote == BARE:
        from shlex import quote

        return quote(value)
    return value if (_NAME if place.runs else _PLAIN).fullmatch(value) else None


def places_at(command: str, starts: list[int]) -> list[Place]:
    """The place of each of the ascending `starts` in a command; quotes within a `$(…)` are its own."""
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

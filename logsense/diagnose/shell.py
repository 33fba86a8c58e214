"""Values from logs as words of a shell's command: quoted as the place asks for, or refused."""

from __future__ import annotations

import re

LONGEST = 200  # characters; a longer value was cut where it is shown, and must not be cut in a command
# What means nothing but itself between quotes, to a shell and in the one-line programs of `python -c '…'`. A "!" only
# where an "=" follows it, since interactive shells look up their history for others.
_PLAIN = re.compile(r"(?:[\w ./:+,=@<>~%\[\]*^-]|!(?==))*", re.ASCII)
_OPTION = re.compile(r"-(?!\d)")

BARE, SINGLE, DOUBLE = "", "'", '"'


def fit(value: str, within: str) -> str | None:
    """`value` as it has to be written where quotes of the kind `within` are open; None where no writing is safe."""
    if len(value) > LONGEST or not value.isprintable() or (within == BARE and _OPTION.match(value)):
        return None
    if within == BARE:
        from shlex import quote

        return quote(value)
    return value if _PLAIN.fullmatch(value) else None


def quotes_at(command: str, places: list[int]) -> list[str]:
    """Which quotes are open at each of the ascending `places` of a command; those of a `$(…)` are its own."""
    found: list[str] = []
    open_ = [BARE]
    skip = False
    for at, letter in enumerate(command):
        while len(found) < len(places) and places[len(found)] == at:
            found.append(open_[-1])
        state = open_[-1]
        if skip or (letter == "\\" and state != SINGLE):
            skip = not skip
        elif letter in (SINGLE, DOUBLE) and state in (BARE, letter):
            open_[-1] = BARE if state else letter
        elif letter == "(" and (state == BARE or (state == DOUBLE and command[at - 1] == "$")):
            open_.append(BARE)
        elif letter == ")" and state == BARE and len(open_) > 1:
            open_.pop()
    return found

"""Find what a failed run printed that a good run did not."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from logsense.model.line import place_in
from logsense.model.record import TRACEBACK
from logsense.model.report import NewLine
from logsense.model.source import Source, head_of
from logsense.records.fingerprint import DIGITS, fingerprint, is_bar, is_message

BLOCK_BYTES = 8 << 20
FIRST, LAST = 6, 6  # lines to show, from the beginning and the end
LONGEST = 2000  # characters of a line
_HEADER = TRACEBACK.encode()
# Bounds memory; logs have far fewer kinds of lines.
MOST_KNOWN = 1_000_000


def new_lines(failed: Sequence[Source], good: Sequence[Source]) -> tuple[NewLine, ...]:
    """Return, in order, the lines of the logs `failed` that have no counterpart in the logs `good`.

    Numbers, times, addresses and paths are ignored; progress bars, headers of tracebacks and continuation lines are
    skipped. Each kind of line is returned once; of many, the first and last. Raise InputError if a source can't be
    read.
    """
    known: set[int] = set()
    seen: set[int] = set()
    for source in sorted(good, key=lambda one: one.turn):
        for _, line in _distinct_lines(source, seen):
            if len(known) < MOST_KNOWN:
                known.add(hash(fingerprint(line)))
    first: list[NewLine] = []
    last: deque[NewLine] = deque(maxlen=LAST)
    for source in failed:
        for number, line in _distinct_lines(source, seen):
            mark = hash(fingerprint(line))
            if mark in known or is_bar(line) or not is_message(line) or _HEADER in line:
                continue
            known.add(mark)
            found = NewLine(
                *place_in(source.name, source.places, number), line.decode("utf-8", "replace").strip()[:LONGEST]
            )
            (first if len(first) < FIRST else last).append(found)
    return (*first, *last)


def _distinct_lines(source: Source, seen: set[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the line numbers and lines of a source, about once per kind. `seen` holds hashes without digits."""
    before = 1
    for block in _blocks(source):
        lines = block.split(b"\n")
        bare = block.translate(None, DIGITS).split(b"\n")
        # The first place of each kind of line. This skips almost all of a log at the speed of C.
        places = dict(zip(reversed(bare), range(len(bare) - 1, -1, -1), strict=True))
        for kind, place in sorted(places.items(), key=lambda one: one[1]):
            mark = hash(kind)
            if mark not in seen:
                if len(seen) >= MOST_KNOWN:
                    seen.clear()  # it only saves work
                seen.add(mark)
                yield before + place, lines[place]
        before += len(lines) - 1


def _blocks(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a source in blocks that end with a whole line."""
    reader = source.open()
    try:
        rest = b""
        while block := head_of(reader, BLOCK_BYTES):
            cut = block.rfind(b"\n") + 1
            if not cut and len(rest) < BLOCK_BYTES:
                rest += block
                continue
            yield rest + block[:cut]
            rest = block[cut:]
        if rest:
            yield rest
    finally:
        reader.close()

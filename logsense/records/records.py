"""Turn bytes into records: log entries with prefixes removed and lines joined."""

from __future__ import annotations

from logsense.model.line import Places
from logsense.model.reading import NOWHERE, Place
from logsense.model.record import NO_PREFIX, Prefix, Record
from logsense.records import join, raised, streams
from logsense.records.group import DONE, OPEN, Group
from logsense.unwrap import text


def records(
    data: bytes,
    *,
    source: str,
    first_line: int = 1,
    offset: int = 0,
    place: Place = NOWHERE,
    places: Places | None = None,
) -> list[Record]:
    """Return the log entries of `data`: a whole log, or a window that starts at the beginning of a line.

    `first_line` is the number, from 1, of the window's first line, `offset` its byte offset. `place` is the rank and
    host of lines that name none; `places` says where people find the lines of a source that was unwrapped. Any bytes
    are accepted; entries are in the order of their beginnings. Blank lines outside an entry are dropped.
    """
    if not data:
        return []
    found: list[Record] = []
    separated = streams.separate(text.split_lines(data, first_line, offset))
    for stream in separated:
        for entry in join.join(stream):
            if isinstance(entry, Group):
                found.append(_joined(entry, source, place, places))
            else:
                found.append(_single(entry, source, place, places))
    if len(separated) > 1:
        found.sort(key=lambda record: record.offset)
    return found


def _single(line: text.Line, source: str, place: Place, places: Places | None) -> Record:
    return Record._make((line.text, source, (line.number,), line.start, line.end, _prefix(line, place), None, places))


def _prefix(line: text.Line, place: Place) -> Prefix:
    """Return the parsed prefix of the line, completed with the rank and host of its file."""
    prefix = Prefix._make(map(line.fields.get, Prefix._fields)) if line.fields else NO_PREFIX
    rank, host = place
    if rank is not None and prefix.rank is None and prefix.local_rank is None:
        prefix = prefix._replace(rank=rank)
    return prefix if host is None or prefix.host else prefix._replace(host=host)


def _joined(group: Group, source: str, place: Place, places: Places | None) -> Record:
    parts = group.lines
    first = parts[0]
    if len(parts) == 1 and group.kind not in (OPEN, DONE):
        return _single(first, source, place, places)
    prefix = _prefix(first, place)
    joined = "\n".join([part.text for part in parts])
    error = raised.read(joined) if group.kind in (OPEN, DONE) else None
    numbers = tuple(part.number for part in parts)
    return Record._make((joined, source, numbers, first.start, parts[-1].end, prefix, error, places))

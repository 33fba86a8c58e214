"""Turn bytes into records: log entries with prefixes removed and lines joined."""

from __future__ import annotations

from logsense.model.line import Places
from logsense.model.reading import NOWHERE, Excerpt, Place, Reading
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
    default = NO_PREFIX._replace(rank=place[0], host=place[1])
    found: list[Record] = []
    separated = streams.separate(text.split_lines(data, first_line, offset))
    for stream in separated:
        for entry in join.join(stream):
            lines = entry.lines if isinstance(entry, Group) else [entry]
            first = lines[0]
            joined = first.text if len(lines) == 1 else "\n".join([line.text for line in lines])
            prefix = _prefix(first.fields, default) if first.fields else default
            error = raised.read(joined) if isinstance(entry, Group) and entry.kind in (OPEN, DONE) else None
            numbers = tuple([line.number for line in lines])
            found.append(Record._make((joined, source, numbers, first.start, lines[-1].end, prefix, error, places)))
    if len(separated) > 1:
        found.sort(key=lambda record: record.offset)
    return found


def records_in(reading: Reading, excerpt: Excerpt) -> list[Record]:
    """Return the log entries of an excerpt of what was read."""
    return records(
        excerpt.text,
        source=reading.source,
        first_line=excerpt.line,
        offset=excerpt.offset,
        place=reading.place,
        places=reading.places,
    )


def _prefix(fields: dict[str, object], default: Prefix) -> Prefix:
    """Return what a line's prefix said, completed with the rank and host that `default` has."""
    prefix = Prefix._make(map(fields.get, Prefix._fields))
    if default.rank is not None and prefix.rank is None and prefix.local_rank is None:
        prefix = prefix._replace(rank=default.rank)
    return prefix if default.host is None or prefix.host else prefix._replace(host=default.host)

"""From bytes to records: the entries of a log, with their prefixes taken off and their lines joined."""

from __future__ import annotations

from logsense.model.record import NO_PREFIX, Prefix, Record
from logsense.parse import join, lines, raised, streams


def records(data: bytes, *, source: str, first_line: int = 1, offset: int = 0) -> list[Record]:
    """The log entries of `data`: a whole log, or a window of one that starts at the beginning of a line.

    `first_line` is the 1-based number of the window's first line in `source`, `offset` its byte offset. Any bytes
    give a result; entries are in the order in which they begin. Blank lines outside of an entry belong to none.
    """
    if not data:
        return []
    found: list[Record] = []
    split = lines.split(data, first_line, offset)
    separated = streams.separate(split)
    for stream in separated:
        found += [_record(group, source) for group in join.join(stream)]
    if len(separated) > 1:
        found.sort(key=lambda record: record.offset)
    return found


def _record(group: join.Group, source: str) -> Record:
    parts = group.lines
    first = parts[0]
    prefix = Prefix(**first.fields) if first.fields else NO_PREFIX  # type: ignore[arg-type]
    if len(parts) == 1 and group.kind in (join.PLAIN, join.ENTRY, join.TABLE):
        return Record(first.text, source, (first.number,), first.start, first.end, prefix)
    texts = [part.text for part in parts]
    error = raised.read(texts) if group.kind in (join.OPEN, join.DONE) else None
    numbers = tuple(part.number for part in parts)
    return Record("\n".join(texts), source, numbers, first.start, parts[-1].end, prefix, error)

"""Takes prefixes off all lines of a window and tells its interleaved streams apart."""

from __future__ import annotations

from logsense.parse import prefixes, traceback
from logsense.parse.lazy import Lazy
from logsense.parse.lines import Line

_NUMBERED = Lazy(r"\s{0,5}(?P<rank>\d{1,5}): ?")
_HOSTED = Lazy(r"(?P<host>[A-Za-z][\w.-]{0,80}?)(?::| +\|) ")
_ENOUGH = 3  # lines, before a column that most of them share counts as a prefix
_BOX = "│┃"
_BOX_EDGES = "╭╰┏┗┌└├"


def separate(lines: list[Line]) -> list[list[Line]]:
    """The lines of each stream, in order, with prefixes taken off. A line without a stream's name joins the stream
    of the line above it where it goes on with that."""
    _take_columns(lines)
    keyed = 0
    for line in lines:
        text = line.text
        if not text:
            continue
        taken = prefixes.take(text)
        if taken:
            line.text, said, line.marked = taken
            line.fields = {**line.fields, **said} if line.fields else said
            key = tuple(said.get(name) for name in prefixes.STREAM)
            if any(part is not None for part in key):
                line.key = key
        if line.key:
            keyed += 1
        if line.text[:1] >= "│" or line.text[:4].lstrip()[:1] >= "│":
            _unbox(line)
    if not keyed:
        return [lines]
    return _by_stream(lines, 2 * keyed > sum(1 for line in lines if line.text))


def _by_stream(lines: list[Line], mostly: bool) -> list[list[Line]]:
    streams: dict[tuple[object, ...] | None, list[Line]] = {}
    above: tuple[object, ...] | None = None
    in_traceback = False
    for line in lines:
        text = line.text
        if line.key is None and text:
            if traceback.header(text):
                in_traceback = True
            elif in_traceback:
                in_traceback = text[0] in " \t"
            elif not line.marked and (mostly or text[0] in " \t" or traceback.native(text)):
                line.key = above
        elif not text and line.key is None and not in_traceback:
            line.key = above
        streams.setdefault(line.key, []).append(line)
        above = line.key
    return list(streams.values())


def _take_columns(lines: list[Line]) -> None:
    """Takes off the rank ("3: ") or host ("node7: ") that a launcher puts in front of every line, where it did."""
    if len(lines) < _ENOUGH or lines[0].text[:1] == "[":
        return
    texts = [line for line in lines if line.text]
    for rule, name in ((_NUMBERED, "rank"), (_HOSTED, "host")):
        probe = sum(1 for line in texts[:20] if rule.match(line.text))
        if len(texts) < _ENOUGH or probe * 5 < min(len(texts), 20) * 4:
            continue
        found = [(line, match) for line in texts if (match := rule.match(line.text))]
        values = [match[name] for _, match in found]
        if len(found) * 5 < len(texts) * 4 or len(set(values)) * 2 > len(values):
            continue
        if name == "host" and not all(any(letter.isdigit() for letter in value) for value in set(values)):
            continue
        for line, match in found:
            value: object = int(match[name]) if name == "rank" else match[name]
            line.text = line.text[match.end() :]
            line.fields = {name: value}
            line.key = (name, value)


def _unbox(line: Line) -> None:
    """Takes the frame that was drawn around a traceback off `line`."""
    text = line.text.lstrip()
    if text[:1] in _BOX:
        line.text = text[1:].removeprefix(" ").rstrip(_BOX + " ")
        line.boxed = True
    elif text[:1] in _BOX_EDGES:
        line.text = text.strip("╭╮╰╯┏┓┗┛┌┐└┘├┤─━═ ")
        line.boxed = True

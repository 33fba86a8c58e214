"""Takes prefixes off all lines of a window and tells its interleaved streams apart."""

from __future__ import annotations

from logsense.parse import prefixes, traceback
from logsense.parse.lazy import Lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.parse.lines import Line

_NUMBERED = Lazy(r"\s{0,5}(?P<rank>\d{1,5}): ?")
_HOSTED = Lazy(r"(?P<host>[A-Za-z][\w.-]{0,80}?)(?::(?: |$)| +\| ?)")
_ENOUGH = 3  # lines, before a column that most of them share counts as a prefix
_MAY_BEGIN_PREFIX = frozenset("0123456789[(ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_BOX = "│┃"
_BOX_EDGES = "╭╰┏┗┌└├╮╯"
_NO_KEY = (None,) * len(prefixes.STREAM)


def separate(lines: list[Line]) -> list[list[Line]]:
    """The lines of each stream, in order, with prefixes taken off. A line without a stream's name joins the stream
    of the line above it where it goes on with that."""
    _dedent(lines)
    _take_columns(lines)
    keyed = marked = filled = 0
    nccl = any("NCCL " in line.text or " WARN " in line.text for line in lines)
    above: Line | None = None
    for line in lines:
        text = line.text
        if not text:
            continue
        filled += 1
        if text[0] == " ":
            if text.lstrip()[0] in _MAY_BEGIN_PREFIX:
                _take_prefixes(line, text.lstrip(), indented=True)
        elif text[0] in _MAY_BEGIN_PREFIX or nccl or text.startswith("rank"):
            _take_prefixes(line, text)
        if above is not None and above.start == line.start and above.key and line.key is None:
            line.key = above.key  # it was printed behind the other without a line break
            line.fields = {name: value for name, value in (above.fields or {}).items() if name in prefixes.STREAM}
        above = line
        marked += line.marked
        if line.key:
            keyed += 1
        if text[0] == " " or text[0] > "\u2500":
            _unbox(line)
    if marked * 2 > filled:
        _unmark_stamps(lines)
    if not keyed:
        return [lines]
    return _by_stream(lines, 2 * (keyed + marked) > filled)


def _dedent(lines: list[Line]) -> None:
    """Takes off the white space that a paste put in front of all lines."""
    filled = [line for line in lines if line.text]
    if not filled or filled[0].text[0] != " ":
        return
    # What was printed behind a line without a line break has no white space of its own.
    own = [line for above, line in zip([None, *filled], filled, strict=False) if not above or above.start < line.start]
    indent = min(len(line.text) - len(line.text.lstrip(" ")) for line in own)
    for line in own if indent else ():
        line.text = line.text[indent:]


def _take_prefixes(line: Line, text: str, indented: bool = False) -> None:
    taken = prefixes.take(text)
    # Behind white space, which a paste may have added, only a logger's prefix is sure to be one.
    if taken and (taken[2] or not indented):
        line.text, said, line.marked = taken
        line.fields = {**line.fields, **said} if line.fields else said
        key = tuple(map(said.get, prefixes.STREAM))
        if key != _NO_KEY:
            line.key = key if line.key is None else line.key + key


def _unmark_stamps(lines: list[Line]) -> None:
    """A time alone, in front of lines that no logger would print so, was put there line by line by a container."""
    stamped = [line for line in lines if line.marked and line.fields and _is_stamp(line.fields)]
    if any("stream" in (line.fields or ()) or line.text[:1] in ("", " ", "\t") for line in stamped):
        for line in stamped:
            line.marked = False


def _is_stamp(fields: dict[str, object]) -> bool:
    """Whether a prefix says no more than when, and which program: no level, and no place in a source file."""
    return "level" not in fields and ":" not in str(fields.get("logger", ""))


def _by_stream(lines: list[Line], mostly: bool) -> list[list[Line]]:
    streams: dict[tuple[object, ...] | None, list[Line]] = {}
    above: tuple[object, ...] | None = None
    in_traceback = False  # of the stream without a name
    in_message = False
    for line in lines:
        text = line.text
        if line.key is not None:
            in_message = line.marked
        elif not text:
            line.key = None if in_traceback else above
        elif traceback.header(text):
            in_traceback = True
        elif in_traceback:
            in_traceback = text[0] in " \t"
        elif not line.marked and (text[0] in " \t" or (mostly and in_message) or traceback.native(text)):
            line.key = above
        streams.setdefault(line.key, []).append(line)
        above = line.key
    return list(streams.values())


def _take_columns(lines: list[Line]) -> None:
    """Takes off the rank ("3: ") or host ("node7: ") that a launcher puts in front of every line, where it did."""
    texts = [line for line in lines[:40] if line.text]
    if len(texts) < _ENOUGH:
        return
    for rule, name in ((_NUMBERED, "rank"), (_HOSTED, "host")):
        if sum(1 for line in texts if rule.match(line.text)) * 5 >= len(texts) * 4:
            _take_column(lines, rule, name)


def _take_column(lines: list[Line], rule: Lazy, name: str) -> None:
    found = [(line, match) for line in lines if line.text and (match := rule.match(line.text))]
    values = {match[name] for _, match in found}
    if len(found) * 5 < sum(1 for line in lines if line.text) * 4 or len(values) * 2 > len(found):
        return
    if name == "host" and not all(any(letter.isdigit() for letter in value) for value in values):
        return
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

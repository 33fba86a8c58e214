"""Remove prefixes from all lines of a window and separate interleaved streams."""

from __future__ import annotations

from logsense.records import prefixes
from logsense.records.columns import remove_columns, remove_shared
from logsense.unwrap import traceback
from logsense.unwrap.parts import join_parts
from logsense.unwrap.text import Line

_BOX = "│┃"
_BOX_EDGES = "╭╰┏┗┌└├╮╯"
_NO_KEY = (None,) * len(prefixes.STREAM)


def separate(lines: list[Line]) -> list[list[Line]]:
    """Return the lines of each stream, in order, with prefixes removed.

    A line without a stream's name joins the stream of the line above if it continues that line.
    """
    lines = join_parts(lines)
    _dedent(lines)
    remove_columns(lines)
    changed = remove_shared(lines)
    if changed:
        _dedent(lines)
    changed |= _remove_all_prefixes(lines)
    if changed and remove_shared(lines):  # what follows a time, say, may be a column too
        _remove_all_prefixes(lines)
    filled = keyed = marked = 0
    for line in lines:
        if line.text:
            filled += 1
            marked += line.marked
            keyed += line.key is not None
            if not line.text.isascii():
                _unbox(line)
    if marked * 2 > filled:
        _unmark_wrapped(lines)
    if not keyed:
        return [lines]
    return _by_stream(lines, 2 * (keyed + marked) > filled)


def _remove_all_prefixes(lines: list[Line]) -> bool:
    """Remove the known prefixes of each line; return whether there were any."""
    found = False
    whole = "\n".join([line.text for line in lines])
    nccl = any(sign in whole for sign in prefixes.NCCL_SIGNS)
    labeled = ": [rank" in whole
    above: Line | None = None
    for line in lines:
        text = line.text
        if not text:
            continue
        body = text.lstrip() if text[0] == " " else text
        if prefixes.may_begin(body[:2], nccl) or (labeled and ": [rank" in text[:90]):
            indented = body is not text and ": [rank" not in text[:12]
            found |= _remove_prefixes(line, body, nccl, indented=indented)
        if above is not None and above.start == line.start and above.key and line.key is None:
            line.key = above.key  # printed after the other without a line break
            line.fields = {name: value for name, value in (above.fields or {}).items() if name in prefixes.STREAM}
        above = line
    return found


def _dedent(lines: list[Line]) -> None:
    """Remove the white space that pasting put in front of all lines."""
    indent: str | None = None
    above = None
    for line in lines:
        # A line printed after or over another one without a line break has no indentation.
        if line.text and (above is None or line.start == above.end + 1):
            indent = _shared_indent(line.text, indent)
            if not indent:
                return
        above = line
    for line in lines:
        line.text = line.text[len(_shared_indent(line.text, indent)) :]


def _shared_indent(text: str, indent: str | None) -> str:
    """Return the white space at the beginning of `text`, as far as it is that of `indent`."""
    white = text[: len(text) - len(text.lstrip(" \t"))]
    while indent is not None and not white.startswith(indent):
        indent = indent[:-1]
    return white if indent is None else indent


def _remove_prefixes(line: Line, text: str, nccl: bool, *, indented: bool) -> bool:
    """Remove the prefixes of `line`, whose text without white space is `text`; return whether there were any."""
    split = prefixes.split_prefixes(text, nccl)
    # After white space, which pasting may have added, only a logger's prefix counts.
    if not split or (indented and not split[2]):
        return False
    line.text, fields, line.marked = split
    line.fields = {**line.fields, **fields} if line.fields else fields
    key = tuple(map(fields.get, prefixes.STREAM))
    if key != _NO_KEY:
        line.key = key if line.key is None else line.key + key
    return True


def _unmark_wrapped(lines: list[Line]) -> None:
    """Unmark lines whose prefix begins no entry: a runtime or a wrapper put it in front of every line of a program.

    Of times without a level, blank or indented lines show this; of levels, the frames of a traceback.
    """
    stamped = [line for line in lines if line.marked and line.fields and _is_stamp(line.fields)]
    if any("stream" in (line.fields or ()) or line.text[:1] in ("", " ", "\t") for line in stamped):
        for line in stamped:
            line.marked = False
    wrappers = {_logger(line) for line in lines if line.marked and traceback.frame(line.text)}
    for line in lines:
        if line.marked and _logger(line) in wrappers:
            line.marked = False


def _is_stamp(fields: dict[str, object]) -> bool:
    """Return whether a prefix has no level and no source location."""
    return "level" not in fields and ":" not in str(fields.get("logger", ""))


def _logger(line: Line) -> tuple[object, object]:
    fields = line.fields or {}
    return fields.get("level"), fields.get("logger")


def _by_stream(lines: list[Line], mostly: bool) -> list[list[Line]]:
    streams: dict[tuple[object, ...] | None, list[Line]] = {}
    above: tuple[object, ...] | None = None
    in_traceback = False  # in the unnamed stream
    in_message = False
    for line in lines:
        text = line.text
        if line.key is not None:
            in_message = line.marked
        elif not text:
            line.key = None if in_traceback else above
        elif traceback.is_header(text):
            in_traceback = True
        elif in_traceback:
            in_traceback = text[0] in " \t"
        elif not line.marked and (text[0] in " \t" or (mostly and in_message) or traceback.is_native_frame(text)):
            line.key = above
        streams.setdefault(line.key, []).append(line)
        above = line.key
    return list(streams.values())


def _unbox(line: Line) -> None:
    """Remove the frame drawn around a traceback from `line`."""
    text = line.text.lstrip()
    if text[:1] in _BOX:
        line.text = text[1:].removeprefix(" ").rstrip(_BOX + " ")
        line.boxed = True
    elif text[:1] in _BOX_EDGES:
        line.text = text.strip("╭╮╰╯┏┓┗┛┌┐└┘├┤─━═ ")
        line.boxed = True

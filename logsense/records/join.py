"""Join the lines of one stream into entries: a traceback with its message, a logger's block, a table."""

from __future__ import annotations

from logsense.records.fingerprint import shape
from logsense.records.group import DONE, ENTRY, OPEN, PLAIN, TABLE, Group
from logsense.unwrap import traceback
from logsense.unwrap.text import Line
from logsense.util.regexes import Lazy

_BLOCK = 60  # lines that a logger's message or an exception's may go on for
_SENTENCES = 12  # lines that an exception's message may go on for where nothing marks them as its own
_MOST_BLANKS = 5  # blank lines in a row that an entry may hold
_LOOK_AHEAD = 4
_MICROSECONDS = 6  # digits

_PROGRESS = Lazy(r"(?i).{0,60}\b(?:epoch|step|iter|iteration|loss|lr)\b.{0,20}\d|.{0,80}\d%\||.{0,80}\d/\d+ \[")
# A row of a list of figures, below a line that ends with a colon.
_KEYED = Lazy(r"[A-Za-z][\w ]{0,30}:\s{2,}\S")
_BAR = Lazy(r"\d%\|")
_NEW = Lazy(
    r"(?:wandb|srun|slurmstepd|torchrun|INFO|WARNING|ERROR|DEBUG)\b"
    r"|terminate called|Aborted|Segmentation fault|Killed\b|Fatal Python error|free\(\)|double free|corrupted "
    r"|Process \S+-\d+:|Exception (?:ignored )?in|\*\*\* |make(?:\[\d+\])?:"
    r"|\S+:\d+: \w*Warning:|\S+: line \d+: |Epoch\b|Traceback"
)
_STATEMENT = Lazy(r"(?:raise|return|assert|yield|await|with|for|if|import|from)\b|[\w.]+(?:\(|\[| [-+*/]?= )")
# What a line begins with that may go on with the line above it.
_NOTABLE = frozenset(" \t|+f#@P│╭╰┃")
_LEADS_IN = Lazy(r"Exception (?:ignored )?in\b|.*:$")


def join(lines: list[Line]) -> list[Group | Line]:
    """Return the entries of a stream, in order; a line that is one by itself stands for its group."""
    groups: list[Group | Line] = []
    current: Group | None = None
    mostly = 2 * sum([line.marked for line in lines if line.text]) > sum([1 for line in lines if line.text])
    signed = [line.text[:1] in _NOTABLE or traceback.may_begin(line.text) for line in lines]
    said, seen = set[bytes](), 0  # shapes of lines by themselves, so far as groups were looked at
    for at, line in enumerate(lines):
        if not line.text:
            if current is not None:
                current.blanks.append(line)
                if len(current.blanks) > _MOST_BLANKS:
                    current = None
            continue
        if not signed[at] and _is_alone(current, line, lines, at, signed):
            current = None
            groups.append(line)
            continue
        if current is not None and current.has_room(line):
            free = current.free
            kind = _goes_on(current, line, lines, at, mostly)
            if current.free > free:
                said.update(shape(text) for group in groups[seen:-1] if (text := _alone(group)))
                seen = len(groups) - 1
                # What came before the exception, too, is no part of its message: the program goes on.
                kind = None if shape(line.text) in said else kind
            if kind is not None:
                if kind == DONE and current.kind != DONE:
                    current.error = len(current.lines) + len(current.blanks)
                current.add(line)
                current.kind = kind
                continue
            if current.kind == OPEN and _is_between(current, line, lines, at):
                groups.append(_begin(line, signed[at]))
                continue
        current = _begin(line, signed[at])
        groups.append(current)
    return groups


def _is_alone(current: Group | None, line: Line, lines: list[Line], at: int, signed: list[bool]) -> bool:
    """Return whether `line` surely neither belongs to `current` nor has a line below that belongs to it."""
    below = lines[at + 1] if at + 1 < len(lines) else None
    if line.marked:
        if current is not None and (current.kind not in (PLAIN, ENTRY) or _at_once(current.lines[-1], line)):
            return False
        return below is None or (below.marked and not _at_once(line, below))
    if (current is not None and current.kind != PLAIN) or ":  " in line.text:
        return False
    if below is None or below.marked:
        return True
    return not (signed[at + 1] or ":  " in below.text)


def _at_once(above: Line, line: Line) -> bool:
    """Return whether two lines were printed in the same microsecond."""
    time = (line.fields or {}).get("time")
    return (
        time is not None
        and time == (above.fields or {}).get("time")
        and len(str(time).partition(".")[2]) >= _MICROSECONDS
    )


def _alone(group: Group | Line) -> str:
    """Return the line that is an entry by itself; "" if the entry has several."""
    if isinstance(group, Line):
        return "" if group.marked else group.text
    return group.lines[0].text if group.kind == PLAIN and len(group.lines) == 1 else ""


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _begin(line: Line, signed: bool) -> Group:
    """Return a new entry that begins with `line`, which is `signed` if it may belong to a traceback."""
    text = line.text
    group = Group([line], ENTRY if line.marked else PLAIN, size=len(text))
    first = text.lstrip()[:1]
    if signed and traceback.notebook_header(text):
        group.kind, group.notebook = OPEN, True
    elif signed and traceback.is_header(text):
        group.kind, group.base, group.drawn = OPEN, _indent(text), "Group" in text
    elif first == "F" and traceback.frame(text):
        group.kind, group.base, group.frames = OPEN, max(0, _indent(text) - 2), True
    elif first in "|+" and first and text.rstrip()[-1] in "|+" and len(text) > 20:
        group.kind = TABLE
    elif first in "FC/~<" and traceback.notebook_frame(text):
        group.kind, group.notebook, group.frames = OPEN, True, True
    elif signed and traceback.exception(text):
        group.kind, group.base = DONE, _indent(text)
    elif not line.marked:
        group.base = _indent(text)
    return group


def _goes_on(group: Group, line: Line, lines: list[Line], at: int, mostly: bool) -> int | None:
    """Return the kind that `group` has if `line` belongs to it; None if it does not."""
    if (line.marked and not _same_call(group, line)) or ("%|" in line.text and _BAR.search(line.text)):
        return None
    if group.kind == OPEN:
        return _after_open(group, line, lines, at)
    if group.kind == DONE:
        return _after_done(group, line)
    if group.kind == TABLE:
        return TABLE if line.text.lstrip()[:1] in "|+" and not group.blanks else None
    return _after_message(group, line, mostly)


def _same_call(group: Group, line: Line) -> bool:
    """Return whether a marked line was printed by the same call to a logger as the group above it, or continues the
    traceback in a log whose lines all have the prefix."""
    ours, here = group.lines[-1].fields or group.lines[0].fields, line.fields or {}
    if not ours or not group.lines[0].marked:
        return False
    if any(ours.get(name) != here.get(name) for name in ("level", "logger")):
        return group.kind == OPEN and "level" not in here and "logger" not in here
    if group.kind == DONE:
        return group.linked or ours.get("time") == here.get("time") or line.text[:1] in " \t"
    return group.kind == OPEN or _at_once(group.lines[-1], line)


def _after_open(group: Group, line: Line, lines: list[Line], at: int) -> int | None:
    text = line.text
    if not (group.notebook or group.drawn or line.boxed):
        if traceback.frame(text):
            group.frames = True
            return OPEN
        if traceback.is_plain(text) and _indent(text) > group.base:
            return OPEN
    if traceback.is_chain(text):
        group.linked = True
        return OPEN
    if traceback.is_header(text) or traceback.notebook_header(text):
        threads = "call first" in text and any("call first" in one.text for one in group.lines)
        if group.linked or threads or not (group.frames or group.notebook) or "Original" in text:
            group.linked = False
            group.notebook = bool(traceback.notebook_header(text))
            return OPEN
        return None
    if line.boxed or (group.drawn and text.lstrip()[0] in "|+"):
        return OPEN
    if group.notebook:
        return _after_notebook(group, text)
    if _indent(text) > group.base or traceback.is_native_frame(text) or not text.strip("~^ "):
        return OPEN
    if traceback.exception(text) or (group.frames and traceback.exception(text, strict=False)):
        return DONE
    if group.blanks or _is_new(text):
        return None
    above = group.lines[-1].text
    if group.frames and traceback.frame(above) and (_indent(above) == group.base or _STATEMENT.match(text)):
        return OPEN  # the source line of a traceback that lost its indentation
    return None if _is_between(group, line, lines, at) else DONE


def _after_notebook(group: Group, text: str) -> int | None:
    if text[0] in " \t-" or traceback.notebook_frame(text) or text.endswith((" frames", " frame")):
        return OPEN
    return DONE if traceback.exception(text, strict=False) else None if group.blanks else OPEN


def _is_between(group: Group, line: Line, lines: list[Line], at: int) -> bool:
    """Return whether `line` is another program's, printed in the middle of the open traceback."""
    seen = 0
    for later in lines[at + 1 : at + 3 * _LOOK_AHEAD]:
        if not later.text:
            continue
        if traceback.is_header(later.text):
            return False
        if later.marked == group.lines[-1].marked:
            if traceback.frame(later.text) and _indent(later.text) > group.base:
                return True
            if traceback.exception(later.text):
                return not traceback.exception(line.text)
        seen += 1
        if seen == _LOOK_AHEAD:
            return False
    return False


def _after_done(group: Group, line: Line) -> int | None:
    text = line.text
    if traceback.is_chain(text):
        group.linked = True
        return DONE
    if traceback.is_header(text) or traceback.notebook_header(text):
        nested = group.lines[-1].text.rstrip().endswith((":", '"""')) and group.lines[-1] is not group.lines[0]
        if group.linked or nested or text.lstrip().startswith("Original"):
            group.linked = False
            group.notebook = bool(traceback.notebook_header(text))
            return OPEN
        return None
    if line.boxed or _indent(text) > group.base or traceback.is_native_frame(text):
        if traceback.frame(text):
            group.frames = True
            return OPEN
        return DONE
    if "(most recent call" in text or text.startswith(("-- ", '"""')):
        return DONE
    if group.linked and traceback.exception(text):
        group.linked = False  # a link and no traceback: the exception that was raised last
        group.error = len(group.lines) + len(group.blanks)
        return DONE
    if group.blanks or _is_new(text) or (traceback.exception(text) and not _leads_on(group)):
        return None
    named = traceback.exception(group.lines[group.error].text)
    if named and not named[1] and ":" not in group.lines[group.error].text:
        return None  # Python prints no colon after an exception without a message
    bare = group.lines[group.error].text.endswith(":")
    # A message that begins with an empty line is a report of many lines.
    group.free += 1
    return DONE if group.free <= (_BLOCK if bare else _SENTENCES) else None


def _leads_on(group: Group) -> bool:
    """Return whether the last line is an exception that announces another: "CompilerFailed: inductor raised:"."""
    raised = traceback.exception(group.lines[-1].text, strict=False)
    return group.error == len(group.lines) - 1 and raised is not None and raised[1].endswith(":")


def _after_message(group: Group, line: Line, mostly: bool) -> int | None:
    text = line.text
    if traceback.is_header(text):
        level = (group.lines[0].fields or {}).get("level")
        above = group.lines[0].text
        leads = group.kind == PLAIN and len(group.lines) == 1 and _LEADS_IN.match(above)
        beside = line.number == group.lines[-1].number + 1
        logged = group.kind == ENTRY and (level in ("ERROR", "CRITICAL", "FATAL") or (level == "WARNING" and beside))
        if above.startswith(traceback.FATAL) or ((leads or logged) and not group.blanks):
            group.base = _indent(text)
            return OPEN
        return None
    if group.blanks or len(group.lines) >= _BLOCK:
        return None
    above = group.lines[-1].text
    if traceback.is_native_frame(text):
        return group.kind
    if line.marked:
        return group.kind
    indent = _indent(text)
    if traceback.frame(text):
        group.base, group.frames = max(0, indent - 2), True
        return OPEN
    if indent > group.base:
        return None if text[indent].isdigit() else group.kind
    if _KEYED.match(text) and (above.endswith(":") or _KEYED.match(above)):
        return group.kind
    if group.kind == PLAIN or _is_new(text) or traceback.exception(text) or text[0] in "|+":
        return None
    if mostly or group.lines[0].text.endswith(":"):
        return group.kind
    return None


def _is_new(text: str) -> bool:
    """Return whether the line clearly begins something else."""
    return bool(_NEW.match(text) or _PROGRESS.match(text))

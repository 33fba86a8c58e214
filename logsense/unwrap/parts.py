"""Join lines that a log collector split into parts and marked as such: container runtimes, GitLab runners.

https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md: a part that continues is
marked P, the last one F. https://docs.gitlab.com/runner/configuration/feature-flags/ (FF_TIMESTAMPS): a line that
continues the one above has a + instead of a blank.
"""

from __future__ import annotations

from logsense.unwrap.text import Line
from logsense.util.regexes import Lazy

_MARKED = Lazy(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) )"
    r"(?:(?P<stream>[0-9a-f]{2}[OE])(?P<more>[+ ]|$)|(?P<name>stdout|stderr) (?P<part>[PF])(?: |$))"
)
_LOOKED_AT = 3  # if lines are marked, one of the first is
_DATE = 10  # characters before the T of a time stamp
_MOST_BLANKS = 3
_MOST = 64 * 1024  # characters of a joined line


def join_parts(lines: list[Line]) -> list[Line]:
    """Return `lines` with the parts of each split line joined where it began."""
    if not any(line.text[_DATE : _DATE + 1] == "T" and _MARKED.match(line.text) for line in lines[:_LOOKED_AT]):
        return lines
    found: list[Line] = []
    last: dict[str, Line] = {}  # by stream
    continues: set[str] = set()
    stripped: dict[str, int] = {}  # blanks that cleaning stripped from the end of a part; more bytes are color codes
    for line in lines:
        marked = _MARKED.match(line.text)
        if marked is None:
            found.append(line)
            continue
        stream = marked["stream"] or marked["name"]
        written, rest = line.text, line.text[marked.end() :]
        above = last.get(stream)
        if above and (marked["more"] == "+" or stream in continues) and len(above.text) + len(rest) < _MOST:
            above.text += " " * stripped.get(stream, 0) + rest
            above.end = line.end if found[-1] is above else above.end
        else:
            if marked["stream"]:
                line.text = marked["time"] + rest
            last[stream] = line
            found.append(line)
        missing = line.end - line.start - len(written.encode("utf-8", "replace"))
        stripped[stream] = missing if missing <= _MOST_BLANKS else 0
        (continues.add if marked["part"] == "P" else continues.discard)(stream)
    return found

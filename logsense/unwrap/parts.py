"""Puts lines together that a collector of logs wrote in parts, and says so: a container's runtime, GitLab's runner.

https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md: a part that goes on is
marked P, the last one F. https://docs.gitlab.com/runner/configuration/feature-flags/ (FF_TIMESTAMPS): a line that goes
on with the one above it has a + where others have a blank.
"""

from __future__ import annotations

from logsense.unwrap.text import Line
from logsense.util.regexes import Lazy

_MARKED = Lazy(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) )"
    r"(?:(?P<stream>[0-9a-f]{2}[OE])(?P<more>[+ ])|(?P<name>stdout|stderr) (?P<part>[PF])(?: |$))"
)
_LOOKED_AT = 3  # of the first lines one is marked where all are
_DATE = 10  # characters, behind which stands a T
_MOST_BLANKS = 3
_MOST = 64 * 1024  # characters of a line that is put together


def joined(lines: list[Line]) -> list[Line]:
    """`lines` with the parts of one put together where it began."""
    if not any(line.text[_DATE : _DATE + 1] == "T" and _MARKED.match(line.text) for line in lines[:_LOOKED_AT]):
        return lines
    found: list[Line] = []
    last: dict[str, Line] = {}  # by stream
    goes_on: set[str] = set()
    lost: dict[str, int] = {}  # blanks at the end of a part, which cleaning took off; more bytes are codes for colours
    for line in lines:
        marked = _MARKED.match(line.text)
        if marked is None:
            found.append(line)
            continue
        stream = marked["stream"] or marked["name"]
        written, rest = line.text, line.text[marked.end() :]
        above = last.get(stream)
        if above and (marked["more"] == "+" or stream in goes_on) and len(above.text) + len(rest) < _MOST:
            above.text += " " * lost.get(stream, 0) + rest
            above.end = line.end if found[-1] is above else above.end
        else:
            if marked["stream"]:
                line.text = marked["time"] + rest
            last[stream] = line
            found.append(line)
        missing = line.end - line.start - len(written.encode("utf-8", "replace"))
        lost[stream] = missing if missing <= _MOST_BLANKS else 0
        (goes_on.add if marked["part"] == "P" else goes_on.discard)(stream)
    return found

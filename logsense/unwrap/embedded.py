"""A log inside the output of another program: a mail, PowerShell, a diff, pytest, BuildKit, YAML."""

from __future__ import annotations

from logsense.unwrap.paste import Paste, PasteShape, each_line
from logsense.util.regexes import Lazy

# What PowerShell adds below the first line that a program printed on standard error.
_POWERSHELL = Lazy(
    r"(?m)^(?:[\w.-]{1,40} : )?([^\n]*)\n((?:[^\n]{0,200}\n){0,4}?)"
    r"(At (?:line|[A-Za-z]:\\[^\n]{1,300}|/[^\n]{1,300}):\d+ char:\d+\n\+ [^\n]*\n\+ [ ~]+\n)"
    r"( +\+ CategoryInfo[^\n]*\n(?:[^\n]*\n){0,2}? +\+ FullyQualifiedErrorId[^\n]*\n(?: *\n)?)"
)
_HUNK = Lazy(r"(?m)^(?:diff --git |index [0-9a-f]{4,}|(?:new|deleted) file mode |--- |\+\+\+ |@@ -\d)[^\n]*$")
_PYTEST = Lazy(r"(?m)^E {2,8}(?=\S)")
_PYTEST_ERROR = Lazy(r"E {3}(?:\w{1,60}\.){0,8}\w{0,60}(?:Error|Exception): ")  # without the report's headings
_BUILD_TIME, _BUILD_RULE = Lazy(r"(?:#\d{1,4} )?\d{1,6}\.\d{1,4}(?: |$)"), "------"
_INDENTED = Lazy(r"(?m)^( {2,40})Traceback \(most recent call last\)")
_HEADED = Lazy(r"[\w.-]{1,60}: [|>][+-]?\n( {2,40})\S")  # a YAML block scalar
_MOST_OUTSIDE = 12  # lines above and below the indented ones
_MAIL_WIDTH = 76  # characters: https://www.rfc-editor.org/rfc/rfc2045#section-6.7
_SOFT_BREAK = Lazy(r"[^\n]*=\n(?:[^\n]*=\n)*[^\n]*")
_OCTETS = Lazy(r"(?:=[0-9A-F]{2})+")


def _remove_powershell(paste: Paste) -> Paste:
    return paste.sub(_POWERSHELL, lambda found: f"{found[1]}\n{found[2]}")


def _added_lines(paste: Paste) -> Paste:
    """Keep the lines that a diff adds."""
    lines = paste.text.split("\n")
    body = [line for line in lines if line and not _HUNK.match(line)]
    if sum(1 for line in body if line[0] == "+") * 10 < len(body) * 9:
        return paste
    return paste.with_lines(None if _HUNK.match(line) else line.removeprefix("+") for line in lines)


def _remove_pytest(text: str) -> str:
    """Remove the E that pytest prints before an exception."""
    first = _PYTEST.search(text)
    known = any(sign in text for sign in ("= FAILURES =", "short test summary", "= ERRORS ="))
    return _PYTEST.sub("", text) if first and (known or _PYTEST_ERROR.match(text, first.start())) else text


def _remove_build_times(text: str) -> str:
    """Remove the seconds from the failed step's output, which BuildKit repeats above a rule."""
    lines = text.split("\n")
    for rule in [number for number, line in enumerate(lines) if line == _BUILD_RULE]:
        at = rule - 1
        while at >= 0 and (time := _BUILD_TIME.match(lines[at])):
            lines[at] = lines[at][time.end() :]
            at -= 1
    return "\n".join(lines)


def _dedent(text: str) -> str:
    """Dedent a log below a heading, as in YAML or in a list."""
    found = _INDENTED.search(text) or _HEADED.match(text)
    indent = found[1] if found else ""
    lines = text.split("\n")
    inside = [at for at, line in enumerate(lines) if line.startswith(indent)]
    if not indent or not inside:
        return text
    begin, end = inside[0], inside[-1] + 1
    outside = [line for line in (*lines[:begin], *lines[end:]) if line.strip()]
    if len(outside) > _MOST_OUTSIDE or any(line and not line.startswith(indent) for line in lines[begin:end]):
        return text
    lines[begin:end] = [line.removeprefix(indent) for line in lines[begin:end]]
    return "\n".join(lines)


def _decode_quoted_printable(paste: Paste) -> Paste:
    """Decode a quoted-printable mail, whose lines end with = if they continue."""
    lines = paste.text.split("\n")
    broken = [len(line) for line in lines if line.endswith("=")]
    if not broken or min(broken) < _MAIL_WIDTH - 6 or max(map(len, lines)) > _MAIL_WIDTH:
        return paste
    paste = paste.sub(_SOFT_BREAK, lambda found: found[0].replace("=\n", ""))
    return paste.sub(_OCTETS, lambda found: bytes.fromhex(found[0].replace("=", "")).decode("utf-8", "replace"))


MAIL = (PasteShape("a quoted-printable mail", ("=3D", "=\n"), _decode_quoted_printable),)
PROGRAMS = (
    PasteShape("PowerShell", ("FullyQualifiedErrorId",), _remove_powershell),
    PasteShape("a diff", ("\n@@ -",), _added_lines),
    PasteShape("pytest", ("E   ",), each_line(_remove_pytest)),
    PasteShape("BuildKit", ("\n------",), each_line(_remove_build_times)),
    PasteShape("YAML or a list", ("  Traceback (most recent", ": |", ": >"), each_line(_dedent)),
)

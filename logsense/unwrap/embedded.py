"""Extracts a log from text that wraps it: diffs, PowerShell errors, pytest and BuildKit output, VS Code, web pages."""

from __future__ import annotations

import re
from collections.abc import Callable

from logsense.unwrap.pages import PAGE_MARKS, extract_from_page
from logsense.unwrap.quoted import unescape
from logsense.util.regexes import Lazy

_FEW = 3

# What PowerShell adds below the first line that a program printed on standard error.
_POWERSHELL = Lazy(
    r"(?m)^(?:[\w.-]{1,40} : )?([^\n]*)\n((?:[^\n]{0,200}\n){0,4}?)"
    r"(At (?:line|[A-Za-z]:\\[^\n]{1,300}|/[^\n]{1,300}):\d+ char:\d+\n\+ [^\n]*\n\+ [ ~]+\n)"
    r"( +\+ CategoryInfo[^\n]*\n(?:[^\n]*\n){0,2}? +\+ FullyQualifiedErrorId[^\n]*\n(?: *\n)?)"
)
_AT = Lazy(r"At line:\d{1,6} char:\d{1,6}$")
_OF_PROGRAM = Lazy(r"[\w.-]{1,40} : ")
_SHELL_LINES = 24  # the most that PowerShell adds in a narrow window
_HUNK = Lazy(r"(?m)^(?:diff --git |index [0-9a-f]{4,}|(?:new|deleted) file mode |--- |\+\+\+ |@@ -\d)[^\n]*$")
_PYTEST = Lazy(r"(?m)^E {2,8}(?=\S)")
_PYTEST_ERROR = Lazy(r"E {3}(?:\w{1,60}\.){0,8}\w{0,60}(?:Error|Exception): ")  # without the report's headings
_BUILD_TIME, _BUILD_RULE = Lazy(r"(?:#\d{1,4} )?\d{1,6}\.\d{1,4}(?: |$)"), "------"
_INDENTED = Lazy(r"(?m)^( {2,40})Traceback \(most recent call last\)")
_HEADED = Lazy(r"[\w.-]{1,60}: [|>][+-]?\n( {2,40})\S")  # a YAML block scalar
_MOST_OUTSIDE = 12  # lines above and below the indented ones
_LOGFMT = Lazy(r'(?m)^(?=[^\n]{0,400}?\bmsg=)(?:[\w.-]{1,40}=(?:"(?:[^"\\\n]|\\.)*"|[^\s"]*)(?:[ \t]+|$))+$')
_PAIR = Lazy(r'([\w.-]{1,40})=("(?:[^"\\\n]|\\.)*"|[^\s"]*)')
# What VS Code copies from a failed cell; the paste may be cut off.
_COPIED = Lazy(
    r'\{\s{0,20}"name": "(\w{1,80})",(\s{0,20})"message": "((?:[^"\\]|\\.){0,8000})",(\s{0,20})'
    r'"stack": "((?:[^"\\]|\\.){0,60000})(?:"\s{0,20}\})?',
)
_MAIL_WIDTH = 76  # characters: https://www.rfc-editor.org/rfc/rfc2045#section-6.7
_SOFT_BREAK = Lazy(r"[^\n]*=\n(?:[^\n]*=\n)*[^\n]*")
_OCTETS = Lazy(r"(?:=[0-9A-F]{2})+")


def extract(text: str) -> str:
    """Return `text` without what surrounds the lines of a log, with the same number of lines."""
    for signs, step in _STEPS:
        if any(sign in text for sign in signs):
            text = step(text)
    return text


def _remove_powershell(text: str) -> str:
    return _POWERSHELL.sub(
        lambda found: "\n" * (found[0].count("\n") - 1 - found[2].count("\n")) + found[1] + "\n" + found[2], text
    )


def _remove_narrow_powershell(text: str) -> str:
    """Do the same if PowerShell wrapped its own lines in a narrow window."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        end = _end_of_powershell(lines, at) if _AT.match(lines[at]) else None
        if end is not None:
            first = next((n for n in reversed(range(max(0, at - _SHELL_LINES), at)) if _OF_PROGRAM.match(lines[n])), at)
            said = lines[first:at]
            if said:
                said[0] = _OF_PROGRAM.sub("", said[0], count=1)
            lines[first:end] = [""] * (end - at) + said
        at = end or at + 1
    return "\n".join(lines)


def _end_of_powershell(lines: list[str], at: int) -> int | None:
    """Return the line after what PowerShell adds from line `at` on; None if it is something else."""
    joined = ""
    for number, line in enumerate(lines[at : at + _SHELL_LINES], at):
        joined += line.replace(" ", "")
        if joined.endswith("FullyQualifiedErrorId:NativeCommandError"):
            return number + 1
    return None


def _added_lines(text: str) -> str:
    """Keep the lines that a diff adds."""
    lines = text.split("\n")
    body = [line for line in lines if line and not _HUNK.match(line)]
    if sum(1 for line in body if line[0] == "+") * 10 < len(body) * 9:
        return text
    return "\n".join(["" if _HUNK.match(line) else line.removeprefix("+") for line in lines])


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


def _logfmt_messages(text: str) -> str:
    """Replace logfmt lines (`key=value` pairs) by their message, with time and level in front."""
    lines = [line for line in text.split("\n") if line.strip()]
    found = [line for line in lines if _LOGFMT.fullmatch(line)]
    if len(found) < _FEW or len(found) * 10 < len(lines) * 9:
        return text
    return _LOGFMT.sub(_logfmt_message, text)


def _logfmt_message(line: re.Match[str]) -> str:
    pairs = {pair[1]: pair[2] for pair in _PAIR.finditer(line[0])}
    message = pairs["msg"]
    if message[:1] == '"':
        message = unescape(message[1:-1])
    time = next((pairs[key].strip('"') for key in ("ts", "time", "t", "timestamp") if key in pairs), "")
    level = pairs.get("level", pairs.get("lvl", "")).strip('"').upper()
    return " ".join([*filter(None, (time, level if time else "")), message])


def _vscode_error(text: str) -> str:
    """Replace the JSON that VS Code copies from a failed cell by its exception and traceback."""
    return _COPIED.sub(
        lambda found: (
            "\n" * (found[0].count("\n") - sum(found[part].count("\n") for part in (3, 4, 5)))
            + f"{found[1]}: {unescape(found[3])}{found[4]}{unescape(found[5])}"
        ),
        text,
    )


def _decode_quoted_printable(text: str) -> str:
    """Decode a quoted-printable mail, whose lines end with = if they continue."""
    lines = text.split("\n")
    broken = [len(line) for line in lines if line.endswith("=")]
    if not broken or min(broken) < _MAIL_WIDTH - 6 or max(map(len, lines)) > _MAIL_WIDTH:
        return text
    text = _SOFT_BREAK.sub(lambda found: found[0].replace("=\n", "") + "\n" * found[0].count("=\n"), text)
    return _OCTETS.sub(lambda found: bytes.fromhex(found[0].replace("=", "")).decode("utf-8", "replace"), text)


_STEPS: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
    (("=3D", "=\n"), _decode_quoted_printable),
    (('"stack": "',), _vscode_error),
    (PAGE_MARKS, extract_from_page),
    (("FullyQualifiedErrorId",), _remove_powershell),
    (("CategoryInfo",), _remove_narrow_powershell),
    (("\n@@ -",), _added_lines),
    (("E   ",), _remove_pytest),
    ((' msg="',), _logfmt_messages),
    (("\n------",), _remove_build_times),
    (("  Traceback (most recent", ": |", ": >"), _dedent),
)

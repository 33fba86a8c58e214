"""Undoes what happens to a log on its way through a clipboard: escapes, quotes, line numbers, a terminal's wrap."""

from __future__ import annotations

from logsense.parse.lazy import Lazy

_ENTITY = Lazy(r"&(?:lt|gt|quot|amp|apos|nbsp|#39|#x27|#34|#x2[fF]);")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&", "&apos;": "'", "&nbsp;": " ", "&#39;": "'"}
_ENTITIES |= {"&#x27;": "'", "&#34;": '"', "&#x2f;": "/", "&#x2F;": "/"}
_ELEMENT = Lazy(r"</?(?:pre|code)\b[^>\n]*>")
_BREAK = Lazy(r"<br ?/?>\n?")
_QUOTE = Lazy(r"\s{0,3}>(?!>>)(?: ?>)* ?")
_GUTTER = Lazy(r"\s*(\d{1,6})(?: ?[:|]|\t| )")
_FENCE = Lazy(r"( *)```[\w-]*\s*$")
_GLUED_FENCE = Lazy(r"(?m)(?:(?<=[^\s`])```$|^```(?=[^\s`]+[\s(]))")
_CURLY = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
# What begins a line of a traceback.
_NEXT_FRAME = Lazy(r" +(?=File \"[^\"]+\", line \d+)")
_NEXT_CODE = Lazy(r"(\bline \d+, in (?:<[^>\r]+>|[\w.]+)) +")
_NEXT_ERROR = Lazy(r" (?=(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Iteration)(?:: |\s*$))")
_NEXT_TRACEBACK = Lazy(r" (?=(?:Traceback \(most|During handling of the above|The above exception was))")
_NARROWEST = 60  # columns; no terminal that logs are read on is narrower
_WIDTHS = (80, 100, 120, 132, 140, 150, 160, 180, 200)  # that terminals and viewers commonly have, in columns
_FEW = 3
# What a wrapped line's rest does not begin with.
_BEGINS = Lazy(
    r"\s\s|\t|\d{4}-\d\d|\[|Traceback |[A-Z]\w*(?:Error|Exception)\b|(?:INFO|WARNING|ERROR|DEBUG)\b"
    r"|File \"|[IWEF]\d{4} |\d+%\||[#>$*=-]{3}"
)
_RULED = Lazy(r"[|+│╭╰]|(.)\1+$")  # of a stripped line


def normalise(data: bytes) -> bytes | None:
    """`data` as it was before it was pasted, with the same number of lines; None where nothing was done to it.

    A wrapped line is put together again where it began, and leaves empty lines. Meant for inputs up to a megabyte.
    """
    text = data.decode("utf-8", "replace")
    changed = text
    for step in (_unescape, _unfold, _straight, _apart, _unquote, _unfence, _unnumber, _unwrap):
        changed = step(changed)
    return None if changed == text else changed.encode("utf-8", "replace")


def _unescape(text: str) -> str:
    """HTML's escapes, where there are several, its line breaks, and the element that a whole page's text stands in."""
    if text.count("<br") >= _FEW:
        text = _BREAK.sub(lambda found: "\n" if "\n" in found[0] else "\r", text)
    if text.startswith(("<pre", "<code")):
        return _ENTITY.sub(lambda found: _ENTITIES[found[0]], _ELEMENT.sub("", text))
    if text.count("&") < 2 or sum(1 for _ in _ENTITY.finditer(text)) < 2:
        return text
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], text)


def _unfold(text: str) -> str:
    r"""A text that was copied as a string of a program, with \n for its line breaks."""
    if text.count("\n") > 1 or text.count("\\n") < _FEW or "Traceback (most recent call last)" not in text:
        return text
    if text[0] in "'\"" and text.rstrip("\n").endswith(text[0]):
        text = text.rstrip("\n")[1:-1]
    # A carriage return parts lines as well, and leaves their number as it is.
    return (
        text.replace("\\r\\n", "\r").replace("\\n", "\r").replace("\\t", "\t").replace('\\"', '"').replace("\\'", "'")
    )


def _straight(text: str) -> str:
    """Straight quotes, where a word processor or a page made all of them curly."""
    if "File \u201c" in text or "File \u201d" in text or (not text.isascii() and '"' not in text and "'" not in text):
        return text.translate(_CURLY)
    return text


def _apart(text: str) -> str:
    """The lines of a traceback that was put on one line."""
    if text.count("\n") > 1 or "\r" in text or "Traceback (most recent call last): " not in text:
        return text
    for rule, parted in (
        (_NEXT_FRAME, "\r  "),
        (_NEXT_CODE, r"\1\r    "),
        (_NEXT_ERROR, "\r"),
        (_NEXT_TRACEBACK, "\r"),
    ):
        text = rule.sub(parted, text)
    return text


def _unquote(text: str) -> str:
    """The > in front of the lines of a quoted message."""
    if ">" not in text:
        return text
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    quoted = sum(1 for line in filled if _QUOTE.match(line))
    if quoted < 2 or quoted * 10 < len(filled) * 7:
        return text
    return "\n".join(line[found.end() :] if (found := _QUOTE.match(line)) else line for line in lines)


def _unfence(text: str) -> str:
    """The indentation of blocks of code that stand in a list."""
    if "```" not in text:
        return text
    lines = _GLUED_FENCE.sub("", text).split("\n")
    indent = None
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence:
            indent = len(fence[1]) if indent is None else None
        elif indent:
            lines[at] = line[min(indent, len(line) - len(line.lstrip(" "))) :]
    return "\n".join(lines)


def _unnumber(text: str) -> str:
    """Line numbers that a viewer put in front of the lines."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    if len(filled) < _FEW or not filled[0].lstrip()[:1].isdigit():
        return text
    found = [_GUTTER.match(line + " ") for line in lines]
    numbers = [int(one[1]) for one in found if one]
    if len(numbers) < 5 or len(numbers) * 10 < len(filled) * 9:
        return text
    steps = sum(numbers[at] == numbers[at - 1] + 1 for at in range(1, len(numbers)))
    if steps * 10 < (len(numbers) - 1) * 9:
        return text
    bodies = [line[one.end() :] if one else line for line, one in zip(lines, found, strict=True)]
    gap = min((len(body) - len(body.lstrip(" ")) for body in bodies if body.strip()), default=0)
    bodies = [body[gap:] for body in bodies]
    # Numbered steps of a training look like this as well, but all alike.
    if not any(body[:1] in (" ", "\t") or "Traceback (most recent" in body for body in bodies):
        return text
    return "\n".join(bodies)


def _unwrap(text: str) -> str:
    """Lines that a terminal cut at its width."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    width = max(map(len, lines))
    if width < _NARROWEST or "\r" in text.replace("\r\n", "\n"):
        return text
    # A space at the cut may have been lost.
    full = [at for at, line in enumerate(lines[:-1]) if len(line) >= width - 1 and not _RULED.match(line.strip())]
    cut = [at for at in full if len(lines[at]) == width]
    if not cut or (len(cut) == 1 and not (width in _WIDTHS and _in_word(lines[cut[0]], lines[cut[0] + 1]))):
        return text
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    goes_on = {at for at in full if _goes_on(lines[at][indent:], lines[at + 1][indent:])}
    inside = sum(1 for at in cut if at in goes_on and _inside(lines[at], lines[at + 1][indent:]))
    if sum(1 for at in cut if at in goes_on) * 10 < len(cut) * 8 or inside * 2 < len(cut):
        return text
    return "\n".join(_joined(lines, goes_on, width, indent))


def _goes_on(line: str, text: str) -> bool:
    return bool(text) and not _BEGINS.match(text) and text[:6] != line[:6]


def _inside(line: str, rest: str) -> bool:
    """Whether the cut lies where no program ends a line: in a word, or beside a space."""
    if line[-1] == " " or (rest[0] == " " and line[-1] not in ".:"):
        return True
    if line[-1].islower() and rest[0].isupper():
        return False
    return (line[-1].isalnum() or line[-1] in "_/.-=,(") and (rest[0].isalnum() or rest[0] in "_/.-=,)")


def _in_word(line: str, rest: str) -> bool:
    """Whether the cut surely lies in a word: one line that happens to be as wide as a terminal proves nothing else."""
    last, first, second = line[-1], rest[:1], rest[1:2]
    if last.isupper() or last == "_":
        return first.isupper() and (second.isupper() or second == "_")
    return (last.islower() and first.islower()) or (last.isdigit() and first.isdigit())


def _joined(lines: list[str], goes_on: set[int], width: int, indent: int) -> list[str]:
    result: list[str] = []
    pieces: list[str] = []
    empty = 0
    for at, line in enumerate(lines):
        pieces.append(line[indent:] if pieces else line)
        if at in goes_on:
            if len(line) < width:
                pieces.append(" ")
            empty += 1
            continue
        result.append("".join(pieces))
        result += [""] * empty
        pieces, empty = [], 0
    return result

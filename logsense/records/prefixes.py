"""Takes what loggers, launchers and schedulers put in front of a message off it: time, rank, host, level and more."""

from __future__ import annotations

import re

from logsense.util.regexes import Lazy

_LEVELS = r"(?:TRACE|DEBUG|INFO|NOTICE|SUCCESS|WARNING|WARN|ERROR|ERR|CRITICAL|CRIT|FATAL|SEVERE)"
_ANY_LEVEL = r"(?:(?i:trace|debug|info|notice|success|warning|warn|error|critical|fatal|severe)\b)"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?:Z|[ ]?[+-]\d\d:?\d\d|[ ]UTC)?"
_DATE = rf"(?:\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}{_ZONE}|\d\d/\d\d/\d{{2,4}},? {_CLOCK}(?: [AP]M)?)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_SOURCE = r"[\w./<>-]*[\w>]\.(?:py|cc|cpp|cu|h|hpp|cuh|c|rs|go|pyx):\d+"

# A space that belongs to the prefix, since what follows is indented by an even number of them.
_ODD_SPACE = r"(?: (?=(?:  )*(?! )))?"

_LEVEL_NAMES = {"I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL", "D": "DEBUG", "V": "DEBUG", "C": "CRITICAL"}
_LEVEL_NAMES |= {"WARN": "WARNING", "ERR": "ERROR", "CRIT": "CRITICAL", "SEVERE": "ERROR"}
_NUMBERS = ("rank", "local_rank", "pid")

# What tells interleaved streams apart. A prefix with anything else comes from a logger: it begins an entry.
STREAM = ("host", "rank", "local_rank", "pid", "stream")

_RULES: dict[str, list[Lazy]] = {}


def _rule(keys: str, source: str) -> None:
    """Add a prefix that can begin where `_key` returns one of `keys`."""
    rule = Lazy(source)
    for key in keys.split():
        _RULES.setdefault(key, []).append(rule)


# What kind of character one is: an upper or lower case letter, or a digit.
_KINDS = {one: "A" if one.isupper() else "a" if one.islower() else "0" for one in map(chr, range(128)) if one.isalnum()}


def _key(text: str, at: int) -> str:
    """Return what shows cheaply which prefixes can begin at `at`: the first character and the kind of a later one."""
    first = text[at : at + 1]
    kind = _KINDS.get(first)
    if kind == "0":
        later = text[at + 2 : at + 5]
        if later[2:] in ("-", "/"):
            return "0-"
        if later[:1] in ("/", ":"):
            return "0:"
        if later[:1] == "-":
            return "00-"
        return "0." if text[at + 10 : at + 11] == "." else "0"
    if kind:
        return first + _KINDS.get(text[at + 1 : at + 2], "_")
    return "[" + _KINDS.get(text[at + 1 : at + 2], "") if first == "[" else first


def _letters(letters: str, second: str) -> str:
    return " ".join(letter + second for letter in letters)


# What rsyslog writes by default, and journalctl -o short-iso: as in the old form below, with a whole date.
_rule(
    "0-",
    rf"(?P<time>\d{{4}}-\d\d-\d\dT{_CLOCK}(?:Z|[+-]\d\d:?\d\d)) (?!{_ANY_LEVEL})(?P<host>[A-Za-z][\w.-]*) "
    r"(?P<logger>kernel(?=:)|[\w./@-]+(?=\[\d{1,9}\]:))(?:\[(?P<pid>\d{1,9})\])?: ?",
)
_rule("0- 0:", rf"(?P<time>{_DATE})(?=[\s:|\],;-]|$)(?:\s?\||\s*:(?!\d)|\s+-(?=\s)|,(?=\s))?[ \t]?")
_rule(
    "00-",
    rf"(?P<time>\d\d-\d\d(?:-\d\d)? {_CLOCK})(?=[\s:|\],;-]|$)(?:\s?\||\s*:(?!\d)|\s+-(?=\s)|,(?=\s))?[ \t]?",
)
_rule("0:", rf"(?P<time>{_CLOCK})(?= ?(?:\||-|\[|{_LEVELS}\b))(?:\s?\||\s+-(?=\s))? ?")
_rule("0:", r"(?P<time>\d\d:\d\d:\d\d)  (?=\S|  )")  # Jenkins' Timestamper
_rule("0.", r"(?P<time>1\d{9}\.\d{3,9})[ \t]")
_rule(  # a web server's: https://httpd.apache.org/docs/2.4/logs.html#common
    "0 0.",
    r"\d{1,3}(?:\.\d{1,3}){3} - \S{1,40} "
    rf"\[(?P<time>\d\d/{_MONTH}/\d{{4}}[: ]{_CLOCK})(?: [+-]\d{{4}})?\] (?=\")",
)
_rule(
    "[ [0 [A",
    rf"\[(?P<time>{_DATE}|{_CLOCK}|{_DAY} {_MONTH} [ \d]?\d {_CLOCK} \d{{4}}|\s*\d{{1,9}}\.\d{{6}})\](?: -|:)? ?",
)
_rule("[a [A", r"\[(?:rank|Rank|RANK)[ :=]{0,2}(?P<rank>\d{1,6})\]:? ?")
_rule("ra Ra RA", r"(?:rank|Rank|RANK)[ :=_-]{0,2}(?P<rank>\d{1,6})(?::| \|| -) (?=\S)")
_rule("(", r"\((?:rank|Rank|RANK)[ :=_-]{0,2}(?P<rank>\d{1,6})\):? (?=\S)")
_rule("[a", r"\[(?:local_rank|local rank|localrank)[ :=]{0,2}(?P<local_rank>\d{1,6})\]:? ?")
_rule("[a", rf"\[(?:default|trainer|worker|node|role)(?P<local_rank>\d{{1,6}})\]:{_ODD_SPACE}")
_rule(
    "[0",
    rf"\[\d+,(?:mpirank:)?(?P<rank>\d{{1,6}})(?:,(?P<host>[\w.-]+))?\]<(?P<stream>stdout|stderr|stddiag)>:{_ODD_SPACE}",
)
_rule("[A", rf"\[(?P<level>[IWEFDV])(?:(?P<time>\d{{3,4}} {_CLOCK}))? (?P<logger>[\w/.+-]+:\d+)\] ?(?:\[c10d\] ?)?")
_rule("[ [A", rf"\[\s*(?P<level>{_LEVELS})\s*(?:\|(?P<logger>[\w.<>/-]+:\d+))?\](?:(?:\s-|:)(?=\s))? ?")
_rule("[ [A [a", rf"\[(?P<logger>{_SOURCE}(?::[\w<>.]+)?)\]:? ?")
_rule("[ [A [a", rf"\[(?P<logger>[A-Za-z_][\w.]*)\]\[(?P<level>{_LEVELS})\](?: -)? ?")
_rule("[0", r"\[(?P<time>\d\d/\d\d \d\d:\d\d:\d\d) (?P<logger>[\w.]+)\]: ?")
_rule(
    "[A [a",
    rf"\[(?:\w+ )?(?P<level>[DIWEFC]) (?P<time>{_DATE}) (?P<logger>[\w.]+:\d+)(?: rank:(?P<rank>\d{{1,6}}))?\] ?",
)
_rule(
    "[0",
    rf"\[(?P<time>{_DATE}) ?(?:[-|,] ?)?(?P<level>{_LEVELS})(?: ?[-|:,]? ?(?P<logger>[A-Za-z_][\w.:-]{{0,80}}))? ?\]"
    r"(?: -|:)? ?",
)
_rule(
    "[A",
    rf"\[(?P<level>{_LEVELS})[ |-]{{1,3}}(?P<time>{_DATE})(?:[ |-]{{1,3}}(?P<logger>[\w.]+(?::\d+)?))?\](?: -|:)? ?",
)
_rule("[0", rf"\[(?P<time>{_DATE}) [\w.-]{{1,60}}\] ?\((?P<logger>[\w.]+ \d+)\): (?P<level>{_LEVELS}) ?")
_rule("[A [a", rf"\[(?P<logger>[\w.]+\.py)\]\[line:\d+\]\[(?P<level>{_LEVELS})\] ?")
_rule("[0", rf"\[(?P<time>\d\d/\d\d {_CLOCK})\](?: -|:)? ?")
_rule("[0", rf"\[(?P<time>{_DATE}) (?P<level>[DIWEFC]) (?P<pid>\d{{1,9}}) \d+\] (?:\(\w+\) )?(?P<logger>[\w.]+:\d+): ?")
_rule("[A", rf"\[(?P<level>[DIWEFC]) (?P<time>{_DATE})\] ?")  # Optuna's
_rule("[A [a", r"\[(?P<host>[A-Za-z][\w.-]*):(?P<pid>\d{3,8})\] ")
_rule("[A [a", r"\[(?P<logger>[\w.]+:\d+), rank=(?P<rank>\d{1,6})\] ?")
_rule("[A [a", r"\[[\w./ -]{1,80}\] {1,4}\| ?")
_rule("[a", r"\[pod/(?P<host>[\w.-]+)/[\w.-]+\] ?")
_rule(
    "(",
    r"\((?:[\w:.<>-]+? ?)?(?:rank=(?P<rank>\d{1,6}) )?pid=(?P<pid>\d{1,9})"
    r"(?:, ip=(?P<host>[\w.:-]+))?(?:, \w+=[^\s,)]+)*\) ?",
)
_rule(
    _letters("IWEFVDC", "0"),
    r"(?P<level>[IWEFVDC])(?P<time>\d{4}(?:\d{4})? [\d:]+(?:\.\d+)?)\s+(?P<pid>\d{1,18})(?: \S+)? "
    r"(?P<logger>[^\s\]]+:\d+)\] ?",
)
_rule(_letters("IWEFVD", "_"), rf"(?P<level>[IWEFVD]) (?P<logger>{_SOURCE})\] ?")
_rule("#", r"##\[(?:error|warning|debug|section|command)\]")
_rule("#", r"#\d{1,4} \d{1,6}\.\d{1,4}(?: |$)")  # BuildKit's step and seconds
_UPPER = _letters("TDINSWECF", "A")
_rule(_UPPER, rf"(?P<level>{_LEVELS}):(?P<time>{_DATE}):(?P<logger>[\w.]+:\d+): ?")
_rule(_UPPER, rf"(?P<level>{_LEVELS}):(?P<logger>[A-Za-z_][\w./-]*):")
_rule(_UPPER, rf"(?P<level>{_LEVELS}) (?P<time>(?:\d{{4}}-)?\d\d-\d\d {_CLOCK}) \[?(?P<logger>[\w./-]+:\d+)\] ?")
_rule(_UPPER, rf"(?P<level>{_LEVELS}) (?P<time>{_DATE}) (?P<host>workerpool\d-\d+|service)(?: |$)")
_rule(_UPPER, rf"(?P<level>{_LEVELS}):? (?P<time>{_DATE})(?: [-|] | (?P<logger>[A-Za-z_][\w.]*): ?|: ?)")
_rule(_UPPER, rf"(?P<level>{_LEVELS}): {{2,5}}(?=\S)")  # uvicorn's, whose messages begin in one column
_rule(_UPPER, rf"(?P<level>{_LEVELS})\s+[-|]\s(?:(?P<logger>[A-Za-z_][\w.]*)\s[-|]\s)?")
_rule(
    _letters("JFMASOND", "a"),
    rf"(?P<time>{_MONTH} [ \d]\d {_CLOCK}) (?P<host>[\w-]*[\d.-][\w.-]*|\w+(?= (?:kernel|systemd|\S+\[\d+\]):)) "
    r"(?P<logger>[\w./@-]+)(?:\[(?P<pid>\d{1,9})\])?: ?",
)
_rule(_letters("JFMASOND", "a"), rf"(?P<time>{_MONTH} [ \d]\d {_CLOCK}) ")

_NAME_STARTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
_LEVEL_STARTS = "TDINSWECFtdinswecf"
_SOURCE_STARTS = _NAME_STARTS + "/.<0123456789"
# Only behind a time, or another mark of a logger: what it begins with, what must follow soon, and the prefix.
_AFTER_LOGGER = [
    ("s", "std", Lazy(r"(?P<stream>stdout|stderr) [FP](?: |$)")),
    (
        "-|" + _LEVEL_STARTS,
        " | ",
        Lazy(rf"(?:[-|] )?(?P<level>{_ANY_LEVEL})\s*\| (?P<logger>[\w.<>-]+:[\w<>.-]+:\d+) - ?"),
    ),
    (
        "-|" + _SOURCE_STARTS,
        " | ",
        Lazy(rf"(?:[-|] )?(?P<logger>[\w./-]+) \| \d+ \| (?P<level>{_LEVELS}) \| (?:[\w -]{{1,60}} \| )?"),
    ),
    (
        " \t" + _LEVEL_STARTS,
        ":",
        Lazy(rf"\s?(?P<level>{_LEVELS}) (?P<logger>{_SOURCE})(?:\]| --|:| -) ?"),
    ),
    (
        "-|" + _LEVEL_STARTS,
        " ",
        Lazy(rf"(?:[-|] )?(?P<level>{_ANY_LEVEL})\s+[-|]\s(?:(?P<logger>[A-Za-z_][\w.]*)\s[-|]\s)?"),
    ),
    ("[", "]", Lazy(rf"\[(?P<level>{_ANY_LEVEL})\] ?")),
    (" TDINSWECF", "", Lazy(rf" {{0,3}}(?P<level>{_LEVELS})(?:\t|(?::(?=\s)|\s)\s*)")),
    (_NAME_STARTS, " - ", Lazy(rf"(?P<logger>[A-Za-z_][\w.]*) - (?P<level>{_ANY_LEVEL}) - ?")),
    # Only a module's name: "CUDA ERROR: …" is a message.
    (_NAME_STARTS, ": ", Lazy(rf"(?P<logger>[A-Za-z]\w*[._][\w.]*) (?P<level>{_LEVELS}): ?")),
    (_NAME_STARTS, ": ", Lazy(rf"(?P<logger>[A-Za-z_][\w.]*): (?P<level>{_LEVELS})(?: -|:) ?")),
    (_SOURCE_STARTS, ":", Lazy(rf"(?P<logger>{_SOURCE}(?::[\w<>.]+)?)(?:\]| -|:) ?")),
    (_NAME_STARTS + "<", " -", Lazy(r"(?P<logger>[\w.<>-]+:[\w<>.-]+:\d+) - ?")),
    (">-", " ", Lazy(r">> |- ")),
]
_SOON = 160  # characters
_NCCL = Lazy(
    r"(?P<host>[A-Za-z\d][\w.-]*):(?P<pid>\d{1,9}):\d+ \[-?\d+\] "
    r"(?:(?P<logger>[\w./-]+:\d+) (?=(?:NCCL )?WARN ))?(?=NCCL |WARN )"
)
_NCCL_SOURCE = Lazy(r"(?P<logger>[\w./-]+\.(?:cc|h|cu|cpp):\d+) (?=NCCL WARN )")
_COLUMN = Lazy(r"[\w./-]+\.py:\d+")
_LABEL = Lazy(r"\s{0,5}(?:\d{1,5}|(?P<host>(?=[\w.-]*\d)\w[\w.-]{1,80})): (?=\[rank\d{1,6}\]:)")  # of srun -l, of pdsh
_GROUP_RANK = Lazy(r"\[PG [^\]]{0,120}Rank (?P<rank>\d{1,9})\]")


def take(text: str) -> tuple[str, dict[str, object], bool] | None:
    """Return `text` without its prefixes, what they said by the names of `Prefix`, and whether one of them was a
    logger's, which begins an entry, rather than only the name of a stream. None where there is no prefix."""
    key = _key(text, 0)
    start = text[:240]
    nccl = "NCCL " in start or " WARN " in start
    label = _LABEL.match(text) if ": [rank" in start else None
    if label is None and key not in _RULES and not (nccl and text[:1].isalnum()):
        return None
    fields: dict[str, object] = {}
    marked = False
    at = 0
    if label:
        at = label.end()
        if label["host"]:
            fields["host"] = label["host"]
    for _ in range(12):
        found = _next(text, at, marked, nccl)
        if found is None:
            break
        at = found.end()
        said = found.groupdict()
        for name, value in said.items():
            if value is not None:
                marked = marked or name not in STREAM
                fields.setdefault(name, _value(name, value))
        if len(said) == 1 and text[found.start()] == "[" and _is_kernels(said.get("time")):
            break
    return (_finish(text[at:], fields), fields, marked) if at else None


def _next(text: str, at: int, marked: bool, nccl: bool) -> re.Match[str] | None:
    """Return the prefix that begins at `at`; None if none begins there."""
    rules = _RULES.get(_key(text, at), ())
    for rule in rules:
        found = rule.match(text, at)
        if found:
            return found
    if nccl and text[at : at + 1].isalnum():
        for rule in (_NCCL, _NCCL_SOURCE):
            found = rule.match(text, at)
            if found:
                return found
    if marked and at < len(text):
        first, soon = text[at], text[at : at + _SOON]
        for starts, needed, rule in _AFTER_LOGGER:
            if first in starts and needed in soon:
                found = rule.match(text, at)
                if found:
                    return found
    return None


def _is_kernels(time: str | None) -> bool:
    """Return whether the kernel wrote the time, after which "INFO:" and "WARNING:" belong to the message."""
    return time is not None and (time[:1].isalpha() or (":" not in time and len(time) < 17))


def _value(name: str, value: str) -> object:
    if name in _NUMBERS:
        return int(value)
    if name == "level":
        return _LEVEL_NAMES.get(value, value.upper())
    return value.strip()


def _finish(text: str, fields: dict[str, object]) -> str:
    """Return `text` without a logger's column on the right, and note a rank in a bracket of the message."""
    if text.startswith("[PG"):
        group = _GROUP_RANK.match(text)
        if group:
            fields.setdefault("rank", int(group["rank"]))
    elif "level" in fields and ".py:" in text[-120:]:
        at = text.rfind("  ")
        if at > 0 and _COLUMN.fullmatch(text[at:].strip()):
            fields.setdefault("logger", text[at:].strip())
            return text[:at].rstrip()
    return text

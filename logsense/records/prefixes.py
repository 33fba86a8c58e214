"""Split off what loggers, launchers and schedulers print in front of a message: time, rank, host, level and more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

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
# Values other than texts.
_KINDS: dict[str, Callable[[str], object]] = {
    "level": lambda value: _LEVEL_NAMES.get(value, value.upper()),
    **dict.fromkeys(("rank", "local_rank", "pid"), int),
}

# What tells interleaved streams apart. A prefix with anything else comes from a logger: it begins an entry.
STREAM = ("host", "rank", "local_rank", "pid", "stream")

# How a prefix can begin.
_DIGIT, _LEVEL, _NAME, _CODE = r"\d", "[TDINSWECF][A-Z]", "[A-Za-z_]", r"[\w/.<]"
_MONTH_BEGINS = "Ja|Fe|Ma|Ap|Ju|Au|Se|Oc|No|De"
# Prefixes, each behind a regex for its first two characters; of those that fit, the first counts.
RULES: list[tuple[str, str]] = []


def _rule(starts: str, source: str) -> None:
    RULES.append((starts, source))


# What rsyslog writes by default, and journalctl -o short-iso: as in the old form below, with a whole date.
_rule(
    _DIGIT,
    rf"(?P<time>\d{{4}}-\d\d-\d\dT{_CLOCK}(?:Z|[+-]\d\d:?\d\d)) (?!{_ANY_LEVEL})(?P<host>[A-Za-z][\w.-]*) "
    r"(?P<logger>kernel(?=:)|[\w./@-]+(?=\[\d{1,9}\]:))(?:\[(?P<pid>\d{1,9})\])?: ?",
)
_rule(_DIGIT, rf"(?P<time>{_DATE})(?=[\s:|\],;-]|$)(?:\s?\||\s*:(?!\d)|\s+-(?=\s)|,(?=\s))?[ \t]?")
_rule(
    _DIGIT,
    rf"(?P<time>\d\d-\d\d(?:-\d\d)? {_CLOCK})(?=[\s:|\],;-]|$)(?:\s?\||\s*:(?!\d)|\s+-(?=\s)|,(?=\s))?[ \t]?",
)
_rule(_DIGIT, rf"(?P<time>{_CLOCK})(?= ?(?:\||-|\[|{_LEVELS}\b))(?:\s?\||\s+-(?=\s))? ?")
_rule(_DIGIT, r"(?P<time>\d\d:\d\d:\d\d)(?:  (?=\S|  )| $)")  # Jenkins' Timestamper
_rule(_DIGIT, r"(?P<time>1\d{9}\.\d{3,9})[ \t]")
_rule(  # a web server's: https://httpd.apache.org/docs/2.4/logs.html#common
    _DIGIT,
    r"\d{1,3}(?:\.\d{1,3}){3} - \S{1,40} "
    rf"\[(?P<time>\d\d/{_MONTH}/\d{{4}}[: ]{_CLOCK})(?: [+-]\d{{4}})?\] (?=\")",
)
_rule(
    r"\[",
    rf"\[(?P<time>{_DATE}|{_CLOCK}|{_DAY} {_MONTH} [ \d]?\d {_CLOCK} \d{{4}}|\s*\d{{1,9}}\.\d{{6}})\](?: -|:)? ?",
)
_rule(r"\[[rR]", r"\[(?:rank|Rank|RANK)[ :=]{0,2}(?P<rank>\d{1,6})\]:? ?")
_rule("[rR][aA]", r"(?:rank|Rank|RANK)[ :=_-]{0,2}(?P<rank>\d{1,6})(?::| \|| -) (?=\S)")
_rule(r"\(", r"\((?:rank|Rank|RANK)[ :=_-]{0,2}(?P<rank>\d{1,6})\):? (?=\S)")
_rule(r"\[[a-z]", r"\[(?:local_rank|local rank|localrank)[ :=]{0,2}(?P<local_rank>\d{1,6})\]:? ?")
_rule(r"\[[a-z]", rf"\[(?:default|trainer|worker|node|role)(?P<local_rank>\d{{1,6}})\]:{_ODD_SPACE}")
_rule(
    r"\[\d",
    rf"\[\d+,(?:mpirank:)?(?P<rank>\d{{1,6}})(?:,(?P<host>[\w.-]+))?\]<(?P<stream>stdout|stderr|stddiag)>:{_ODD_SPACE}",
)
_rule(
    r"\[[A-Z]", rf"\[(?P<level>[IWEFDV])(?:(?P<time>\d{{3,4}} {_CLOCK}))? (?P<logger>[\w/.+-]+:\d+)\] ?(?:\[c10d\] ?)?"
)
_rule(r"\[[ A-Z]", rf"\[\s*(?P<level>{_LEVELS})\s*(?:\|(?P<logger>[\w.<>/-]+:\d+))?\](?:(?:\s-|:)(?=\s))? ?")
_rule(r"\[", rf"\[(?P<logger>{_SOURCE}(?::[\w<>.]+)?)\]:? ?")
_rule(r"\[", rf"\[(?P<logger>[A-Za-z_][\w.]*)\]\[(?P<level>{_LEVELS})\](?: -)? ?")
_rule(r"\[\d", r"\[(?P<time>\d\d/\d\d \d\d:\d\d:\d\d) (?P<logger>[\w.]+)\]: ?")
_rule(
    r"\[[A-Za-z_]",
    rf"\[(?:\w+ )?(?P<level>[DIWEFC]) (?P<time>{_DATE}) (?P<logger>[\w.]+:\d+)(?: rank:(?P<rank>\d{{1,6}}))?\] ?",
)
_rule(
    r"\[\d",
    rf"\[(?P<time>{_DATE}) ?(?:[-|,] ?)?(?P<level>{_LEVELS})(?: ?[-|:,]? ?(?P<logger>[A-Za-z_][\w.:-]{{0,80}}))? ?\]"
    r"(?: -|:)? ?",
)
_rule(
    r"\[[A-Z]",
    rf"\[(?P<level>{_LEVELS})[ |-]{{1,3}}(?P<time>{_DATE})(?:[ |-]{{1,3}}(?P<logger>[\w.]+(?::\d+)?))?\](?: -|:)? ?",
)
_rule(r"\[\d", rf"\[(?P<time>{_DATE}) [\w.-]{{1,60}}\] ?\((?P<logger>[\w.]+ \d+)\): (?P<level>{_LEVELS}) ?")
_rule(r"\[\d", rf"\[(?P<time>\d\d/\d\d {_CLOCK})\](?: -|:)? ?")
_rule(
    r"\[\d", rf"\[(?P<time>{_DATE}) (?P<level>[DIWEFC]) (?P<pid>\d{{1,9}}) \d+\] (?:\(\w+\) )?(?P<logger>[\w.]+:\d+): ?"
)
_rule(r"\[[A-Z]", rf"\[(?P<level>[DIWEFC]) (?P<time>{_DATE})\] ?")  # Optuna's
_rule(r"\[[A-Za-z_]", r"\[(?P<host>[A-Za-z][\w.-]*):(?P<pid>\d{3,8})\] ")
_rule(r"\[[A-Za-z_]", r"\[(?P<logger>[\w.]+:\d+), rank=(?P<rank>\d{1,6})\] ?")
_rule(r"\[[A-Za-z_]", r"\[[\w./ -]{1,80}\] {1,4}\| ?")
_rule(r"\[[a-z]", r"\[pod/(?P<host>[\w.-]+)/[\w.-]+\] ?")
_rule(
    r"\(",
    r"\((?:[\w:.<>-]+? ?)?(?:rank=(?P<rank>\d{1,6}) )?pid=(?P<pid>\d{1,9})"
    r"(?:, ip=(?P<host>[\w.:-]+))?(?:, \w+=[^\s,)]+)*\) ?",
)
_rule(
    r"[IWEFVDC]\d",
    r"(?P<level>[IWEFVDC])(?P<time>\d{4}(?:\d{4})? [\d:]+(?:\.\d+)?)\s+(?P<pid>\d{1,18})(?: \S+)? "
    r"(?P<logger>[^\s\]]+:\d+)\] ?",
)
_rule("[IWEFVD] ", rf"(?P<level>[IWEFVD]) (?P<logger>{_SOURCE})\] ?")
_rule("#", r"##\[(?:error|warning|debug|section|command)\]")
_rule("#", r"#\d{1,4} \d{1,6}\.\d{1,4}(?: |$)")  # BuildKit's step and seconds
_rule(_LEVEL, rf"(?P<level>{_LEVELS}):(?P<time>{_DATE}):(?P<logger>[\w.]+:\d+): ?")
_rule(_LEVEL, rf"(?P<level>{_LEVELS}):(?P<logger>[A-Za-z_][\w./-]*):")
_rule(_LEVEL, rf"(?P<level>{_LEVELS}) (?P<time>(?:\d{{4}}-)?\d\d-\d\d {_CLOCK}) \[?(?P<logger>[\w./-]+:\d+)\] ?")
_rule(_LEVEL, rf"(?P<level>{_LEVELS}) (?P<time>{_DATE}) (?P<host>workerpool\d-\d+|service)(?: |$)")
_rule(_LEVEL, rf"(?P<level>{_LEVELS}):? (?P<time>{_DATE})(?: [-|] | (?P<logger>[A-Za-z_][\w.]*): ?|: ?)")
_rule(_LEVEL, rf"(?P<level>{_LEVELS}): {{2,5}}(?=\S)")  # uvicorn's, whose messages begin in one column
_rule(_LEVEL, rf"(?P<level>{_LEVELS})\s+[-|]\s(?:(?P<logger>[A-Za-z_][\w.]*)\s[-|]\s)?")
_rule(
    _MONTH_BEGINS,
    rf"(?P<time>{_MONTH} [ \d]\d {_CLOCK}) (?P<host>[\w-]*[\d.-][\w.-]*|\w+(?= (?:kernel|systemd|\S+\[\d+\]):)) "
    r"(?P<logger>[\w./@-]+)(?:\[(?P<pid>\d{1,9})\])?: ?",
)
_rule(_MONTH_BEGINS, rf"(?P<time>{_MONTH} [ \d]\d {_CLOCK}) ")

# Only behind a time, or another mark of a logger.
AFTER_LOGGER = (
    ("st", r"(?P<stream>stdout|stderr) [FP](?: |$)"),
    (rf"\s|{_LEVEL}", rf"\s?(?P<level>{_LEVELS}) (?P<logger>{_SOURCE})(?:\]| --|:| -) ?"),
    (r"\[", rf"\[(?P<level>{_ANY_LEVEL})\] ?"),
    (f" |{_LEVEL}", rf" {{0,3}}(?P<level>{_LEVELS})(?:\t|(?::(?=\s)|\s)\s*)"),
    (_NAME, rf"(?P<logger>[A-Za-z_][\w.]*) - (?P<level>{_ANY_LEVEL}) - ?"),
    # Only a module's name: "CUDA ERROR: …" is a message.
    (_NAME, rf"(?P<logger>[A-Za-z]\w*[._][\w.]*) (?P<level>{_LEVELS}): ?"),
    (_NAME, rf"(?P<logger>[A-Za-z_][\w.]*): (?P<level>{_LEVELS})(?: -|:) ?"),
    (_CODE, rf"(?P<logger>{_SOURCE}(?::[\w<>.]+)?)(?:\]| -|:) ?"),
    (r"[\w<]", r"(?P<logger>[\w.<>-]+:[\w<>.-]+:\d+) - ?"),
    ("[->]", r">> |- "),
)
NCCL_SIGNS = ("NCCL ", " WARN ")
NCCL = (
    (
        r"(?P<host>[A-Za-z\d][\w.-]*):(?P<pid>\d{1,9}):\d+ \[-?\d+\] "
        r"(?:(?P<logger>[\w./-]+:\d+) (?=(?:NCCL )?WARN ))?(?=NCCL |WARN )"
    ),
    r"(?P<logger>[\w./-]+\.(?:cc|h|cu|cpp):\d+) (?=NCCL WARN )",
)
_MOST = 12  # prefixes of a line
_NAMED = Lazy(r"\(\?P<(\w+)>")
_COLUMN = Lazy(r"[\w./-]+\.py:\d+")
_LABEL = Lazy(r"\s{0,5}(?:\d{1,5}|(?P<host>(?=[\w.-]*\d)\w[\w.-]{1,80})): (?=\[rank\d{1,6}\]:)")  # of srun -l, of pdsh
# What a collector appends to one of several equal lines of different processes.
_COLLECTED = Lazy(r"\s*\[repeated \d{1,9}x across [^\]\n]{1,40}\](?: \([^\n]*\))?$")
_GROUP_RANK = Lazy(r"\[PG [^\]]{0,120}Rank (?P<rank>\d{1,9})\]")


class _Prefixes:
    """Find the first of several prefixes that fits, with one regex."""

    def __init__(self, sources: Iterable[str]) -> None:
        pieces, groups = [], 0
        # Names, groups and kinds of values, by the group at the end of a prefix.
        self.fields: dict[int, list[tuple[str, int, Callable[[str], object]]]] = {}
        for source in sources:
            names = _NAMED.findall(source)
            pieces.append(f"(?:{_NAMED.sub('(', source)})()")
            last = groups + len(names) + 1
            self.fields[last] = [
                (name, group, _KINDS.get(name, str.strip)) for group, name in enumerate(names, groups + 1)
            ]
            groups = last
        self.match = Lazy("|".join(pieces)).match


@lru_cache(4096)
def _prefixes(begin: str, nccl: bool, marked: bool) -> _Prefixes | None:
    """Return the prefixes that can begin with the characters `begin`, also behind a mark of a logger if `marked`."""
    known = [*RULES, *(("[A-Za-z0-9]", source) for source in NCCL if nccl), *(AFTER_LOGGER if marked else ())]
    sources = [source for start, source in known if re.match(start, begin)]
    return _Prefixes(sources) if sources else None


@lru_cache(1024)
def may_begin(begin: str, nccl: bool) -> bool:
    """Return whether a line whose first two characters are `begin` may have a prefix."""
    return _prefixes(begin, nccl, False) is not None


def split_prefixes(text: str, nccl: bool = True) -> tuple[str, dict[str, object], bool] | None:
    """Return `text` without its prefixes, what they said by the names of `Prefix`, and whether one of them was a
    logger's, which begins an entry, rather than only the name of a stream; None without a prefix.

    `nccl` says whether NCCL may have printed it.
    """
    text = f"{text} "  # an empty line lost the blank behind its prefix
    nccl = nccl and any(sign in text for sign in NCCL_SIGNS)
    fields: dict[str, object] = {}
    marked = False
    at = 0
    if ": [rank" in text and (label := _LABEL.match(text)):
        at = label.end()
        if label["host"]:
            fields["host"] = label["host"]
    for _ in range(_MOST):
        known = _prefixes(text[at : at + 2], nccl, marked)
        found = known.match(text, at) if known else None
        if known is None or found is None:
            break
        stated = known.fields[found.lastindex or 0]
        for name, group, kind in stated:
            value = found[group]
            if value is not None:
                marked = marked or name not in STREAM
                if name not in fields:
                    fields[name] = kind(value)
        if len(stated) == 1 and stated[0][0] == "time" and text[at] == "[" and _is_kernels(found[stated[0][1]]):
            at = found.end()
            break
        at = found.end()
    return (_finish(text[at:-1], fields), fields, marked) if at else None


def _is_kernels(time: str) -> bool:
    """Return whether the kernel wrote the time, after which "INFO:" and "WARNING:" belong to the message."""
    return time[:1].isalpha() or (":" not in time and len(time) < 17)


def _finish(text: str, fields: dict[str, object]) -> str:
    """Return `text` without what a collector or a logger prints on the right, and note a rank in a bracket of it."""
    if "[repeated " in text:
        text = _COLLECTED.sub("", text)
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

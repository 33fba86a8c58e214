"""When no known message explains a failure: the lines that matter, and the known messages nearest to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from logsense.advise.proof import LONGEST_LINE
from logsense.incident.ledger import with_telling_levels
from logsense.incident.signs import Signs
from logsense.match.code import is_source
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident, SourceEnd
from logsense.model.record import TRACEBACK, Record
from logsense.model.report import Evidence, NearMiss
from logsense.model.signature import Signature
from logsense.util.regexes import Lazy

# Words by which programs of any kind report a failure.
_ALARM = Lazy(
    r"(?i)(?<![\w-])(?:error|fatal|failed|failure|exception|abort(?:ed|ing|s)?|panic|killed|cannot|could not|unable to|"
    r"denied|refused|not found|timed? ?out|assert(?:ion)?|invalid|unsupported|corrupt(?:ed)?|crash(?:ed)?)(?![\w-])"
)
_LATEST_RECORDS = 200
_OF_PART = 40  # a text of so few records may be part of a log, in which anything may be the failure
# Levels of a logger at which a program ends; many messages of level ERROR are harmless.
FATAL = ("FATAL", "CRITICAL")
_SHOWN = 6
_NEAR_SHOWN = 3
_LAST, _AT_END = 3, "one of the last lines"  # shown of a log in which no line looks like an error
# Similarity, in percent, from which a known message is worth naming, and from which each of its words must be there.
_NEAR, _SAME = 75.0, 86.0
# A word, and how similar, in percent, a mistyped or cut one is to it.
_WORDS, _MISTYPED = Lazy(r"[^\W\d_]{4,}"), 70.0
_SHORTEST = 12
# In a line about a failure, the word for it is near the front; in prose it may not be.
_FRONT = 80
# What sentences of advice, documentation and remarks begin with.
_ADVICE = Lazy(
    r"\W*(?:(?:If|When|Known|See|Note|To|Try|Should|In case)\b(?!:)|(?i:warning|warn|note|info|hint|tip|debug) ?:)"
)
# What precedes the word where things are counted ("Number of failed attacks: 345", "Succeeded / Failed / Total",
# "0 failed", "15 ok, 2 failed"), and in prose ("which may cause problems that we cannot fix").
_NO_ALARM = Lazy(
    r"(?i)(?:\b(?:number|count|percentage|# ?) ?of[ _:]{1,2}|\b(?:num|we|you)[ _]|/ ?|(?<![\w.])(?:0|no) "
    r"|[,;(](?: and)? ?\d{1,9} )$"
)
_BEFORE = 16  # characters
# The word as the name of a count that is zero: "failed=0", "Aborted utterances: 0".
_NONE = Lazy(r"[\w ]{0,30}[:=] ?0(?![.\d])")
# The word as the name of a measurement: "validation error 5.72 %", "Reconstruction error: 0.013".
_MEASURED = Lazy(
    r"(?i)s?(?: rate| score| per \w{1,30})?(?: is| of|:| =|=| \()?[\s\[(]{0,4}[-+]?(?:\d*\.\d|\d+ ?%|\d+e-)"
)
# The word in the name of where something is written ("Error message goes to output.err", "error log: run.err"), of
# what is examined ("Error analysis report"), or of what is counted ("Failure cases: 12", "Fatal accidents: 9 rows").
_TOPIC = Lazy(
    r"(?i)s? (?:(?:message|log|output|stream|file|report)s?(?:[:=]| (?:goes?|is|are|will|can|to|in)\b)"
    r"|(?:analysis|detection|prediction|correction|distribution|statistics)\b"
    r"|(?!(?:\w+ ){0,2}(?:\w+ing|with|at|on|in|of|to|code|status|signal)\b)(?:[a-z]{1,20} ){0,2}"
    r"(?:[a-z]{1,20}s ?[:=] ?\d+\W*$|[a-z]{1,20} ?[:=] ?(?:\d*\.\d|\d+ (?:rows|samples|images|examples)\b)))"
)
# The word as one of several names: "classes: ['crash', 'timeout']", "confusion[crash,oom]", "'failure' column".
_LISTED = (
    Lazy(r"(?:[\[,][\w-]*|['\"])$"),
    Lazy(r"(?:['\"]? ?,|['\"] (?:column|field|label|class)\b)"),
)
# Levels of a logger at which a program does not tell why it ends.
_QUIET = ("WARNING", "INFO", "DEBUG")
_TRAINED = ("loss", "epoch")  # slots of reports that a bar of files or downloads does not fill
# By these words a program says that it goes on without what failed.
_GOES_ON = Lazy(
    r"(?i)\b(?:retry(?:ing)?|trying again|ignor(?:ed|es|ing)|skip(?:ped|ping)|fall(?:s|ing)? ?back|reverting to"
    r"|(?:default|switch|revert)(?:s|ing) to|continu(?:es|ing)|proceed(?:s|ing)|disabl(?:es|ing)|instead|for now"
    r"|converting|forcing|treating|from scratch|will (?:not )?be|(?:may|might) (?:be|not|cause|lead|result|have))\b"
)


def unexplained(incident: Incident, outcome: str, signs: Signs) -> tuple[Evidence, ...]:
    """Return the lines that matter of a run that failed, or whose log ends in an error, for no known reason."""
    if outcome != "failed":
        return tuple(_lines(incident, signs)) if ends_in_alarm(incident, signs) else ()
    return tuple(_lines(incident, signs) or _last_lines(incident))


def _last_lines(incident: Incident) -> list[Evidence]:
    """Return the last lines of each log, which a program that failed may have ended with."""
    last = [[one for one in ending.records if one.text.strip()][-_LAST:] for ending in incident.ends]
    lines = [_line(_AT_END, one, one.text_at(len(one.text)), one.lines[-1]) for one in chain(*last)]
    return lines[-_SHOWN:]


def near_misses(lines: Sequence[Evidence], incident: Incident, catalog: Catalog) -> tuple[NearMiss, ...]:
    """Return the known messages nearest to `lines`, except those that were found."""
    lines = [line for line in lines if line.says != _AT_END]
    if not lines:
        return ()
    found = {finding.signature.id for finding in incident.failing}
    near = [(one, score) for one, score in _near(lines, catalog) if one.id not in found]
    return tuple(NearMiss(one.id, one.title, round(1 - score / 100, 2)) for one, score in near[:_NEAR_SHOWN])


def _lines(incident: Incident, signs: Signs) -> list[Evidence]:
    """Return the lines of `incident` that say or seem to say what failed, each once."""
    first: dict[tuple[str, str], Finding] = {}  # a line that is repeated is shown once
    for finding in incident.failing:
        first.setdefault((finding.signature.id, finding.text.strip()), finding)
    shown: list[Evidence] = []
    for finding in [*first.values()][:_SHOWN]:
        line = _line_of_finding(finding, signs)
        if all((line.text, line.line) != (other.text, other.line) for other in shown):
            shown.append(line)
    harmless = _harmless(incident, signs)
    for ending in incident.ends:
        latest = [r for r in ending.records[-_LATEST_RECORDS:] if (r.source, r.offset) not in harmless]
        alarming = [r for r in latest if r.raised or _alarm(r, signs) is not None or r.prefix.level in FATAL]
        alarming = alarming or [r for r in _last_error(ending) if r in latest]
        for record in [*alarming[:2], *alarming[-2:]]:
            line = _line_of(record, signs)
            if all(line.text != other.text for other in shown):
                shown.append(line)
    return shown[:_SHOWN]


def _line_of_finding(finding: Finding, signs: Signs) -> Evidence:
    raised = finding.record.raised
    if raised and (not raised.type or TRACEBACK in finding.text):  # only the header would be shown
        return _line_of(finding.record, signs)
    return _line(finding.signature.title, finding.record, finding.text, finding.line)


def _alarm(record: Record, signs: Signs) -> int | None:
    """Return where the record has a word for a failure, outside of source code; None if it has none.

    A line that counts what failed and what succeeded does not count, unless nothing succeeded.
    """
    text = record.text[:2000]
    for found in _ALARM.finditer(text):
        at: int = found.start()
        begin = text.rfind("\n", 0, at) + 1
        if at - begin > _FRONT or is_source(record, at) or _ADVICE.match(text, begin):
            continue
        if any(each.match(text, found.end()) for each in (_NONE, _MEASURED, _TOPIC)):
            continue
        if _LISTED[0].search(text, begin, at) and _LISTED[1].match(text, found.end()):
            continue
        line = record.text_at(at)
        tally = signs.tally([line])
        counted = _NO_ALARM.search(text[max(at - _BEFORE, 0) : at])
        if signs.all_failed(line) or (not counted and (tally is None or tally.all_failed)):
            return at
    first = text.partition("\n")[0]
    return 0 if any(signs.says(sign, first) for sign in ("hung", "status", "verdict")) else None


def _stops(record: Record, signs: Signs) -> bool:
    """Return whether the record has a word for a failure, and does not say that the program goes on."""
    at = _alarm(record, signs)
    return at is not None and not _GOES_ON.search(record.text_at(at))


def _line_of(record: Record, signs: Signs) -> Evidence:
    if record.raised and not record.raised.type:
        said = "the traceback breaks off before its last line, which names the error"
        lines = [pair for pair in zip(record.lines, record.text.split("\n"), strict=False) if pair[1].strip("^~ ")]
        return _line(said, record, lines[-1][1], lines[-1][0])
    if record.raised:
        text = f"{record.raised.type}: {record.raised.message}".split("\n")[0]
        return _line("the exception that was raised last", record, text, record.lines[-1])
    at = _alarm(record, signs) or 0
    return _line("looks like an error", record, record.text_at(at), record.line_at(at))


def _line(says: str, record: Record, text: str, line: int) -> Evidence:
    prefix = record.prefix
    return Evidence(says, *record.place(line), text.strip()[:LONGEST_LINE], prefix.rank, prefix.host, prefix.time)


def ends_in_alarm(incident: Incident, signs: Signs) -> bool:
    """Return whether the last line of a log looks like an error that no known message explains."""
    harmless = _harmless(incident, signs)
    known = harmless | {(one.record.source, one.offset) for one in incident.context}
    for ending in incident.ends:
        said = [record for record in ending.records if record.text.strip()]
        last = said[-1:] if len(said) > _OF_PART else said[-3:]
        worked = _worked_until(ending, incident)
        alarming = [r for r in last if r.offset >= worked and r.prefix.level not in _QUIET and _stops(r, signs)]
        alarming += [r for r in last if r.prefix.level in FATAL or signs.says("verdict", r.text.partition("\n")[0])]
        alarming += _last_error(ending)
        if any(r.raised and (r.source, r.offset) not in harmless for r in last) or any(
            (r.source, r.offset) not in known for r in alarming
        ):
            return True
    return False


def _last_error(ending: SourceEnd) -> list[Record]:
    """Return the last record, if its level is for errors and it does not say that the program goes on."""
    last = [record for record in with_telling_levels(ending.records) if record.text.strip()][-1:]
    return [one for one in last if one.prefix.level == "ERROR" and not _GOES_ON.search(one.text)]


def _harmless(incident: Incident, signs: Signs) -> set[tuple[str, int]]:
    """Return the source and offset of each record that is known to be harmless."""
    found = (*incident.noise, *incident.survived)
    return {(one.record.source, one.offset) for one in found if not signs.says("verdict", one.text)}


def _same_words(text: str, known: str) -> bool:
    """Return whether `text` has each longer word of `known`, perhaps mistyped, where the two are most similar.

    A text with another word in its place is another message.
    """
    from rapidfuzz import fuzz

    at = fuzz.partial_ratio_alignment(text, known)
    if at is None:
        return False
    begin, end = text.rfind(" ", 0, at.src_start + 1) + 1, text.find(" ", max(at.src_end - 1, 0))
    there = _WORDS.findall(text[begin : end if end >= 0 else None])
    wanted = _WORDS.findall(known[at.dest_start : at.dest_end])
    return all(any(fuzz.ratio(word, one) >= _MISTYPED for one in there) for word in wanted)


def _worked_until(ending: SourceEnd, incident: Incident) -> int:
    """Return where the last report of progress begins: what precedes it did not stop the program.

    A single report without loss and epoch may be a bar that is redrawn at the end.
    """
    reports = sorted(ending.progress, key=lambda one: one.offset)
    sure = incident.outcome == "running" or (reports and not reports[-1].captures.keys().isdisjoint(_TRAINED))
    needed = 1 if sure else 2
    return reports[-needed].offset if len(reports) >= needed else 0


def _near(lines: Sequence[Evidence], catalog: Catalog) -> list[tuple[Signature, float]]:
    """Return the known messages nearest to `lines`, most similar first, with their similarity in percent."""
    from rapidfuzz import fuzz, process

    wanted = catalog.literals.longest(_SHORTEST)
    best: dict[int, float] = {}
    for line in lines:
        text = (line.text or "")[:400]
        for known, score, index in process.extract(
            text, wanted, scorer=fuzz.partial_ratio, score_cutoff=_NEAR, limit=12
        ):
            if score >= _SAME and not _same_words(text, known):
                score = _NEAR
            if len(text) >= len(known) * 0.6 and score > best.get(index, 0.0):
                best[index] = score
    found = [(catalog.signature(index), score) for index, score in best.items()]
    failing = [(one, score) for one, score in found if one.kind in ("failure", "consequence", "hint")]
    return sorted(failing, key=lambda pair: (-pair[1], -len(pair[0].match[0].literal)))

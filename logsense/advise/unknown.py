"""When no known message explains a failure: the lines that matter, and the known messages nearest to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from logsense.advise.proof import LONGEST_LINE
from logsense.incident.ledger import with_telling_levels
from logsense.incident.signs import STATUS, Signs
from logsense.match.code import is_source
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident, SourceEnd
from logsense.model.record import TRACEBACK, Record
from logsense.model.report import REPORTS_STATUS, Evidence, NearMiss
from logsense.model.signature import Signature
from logsense.util.regexes import Lazy

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
# Levels of a logger at which a program does not tell why it ends.
_QUIET = ("WARNING", "INFO", "DEBUG")
_TRAINED = ("loss", "epoch")  # slots of reports that a bar of files or downloads does not fill


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
    lines = [line for line in lines if line.says not in (_AT_END, REPORTS_STATUS)]
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
        alarming = alarming or [r for r in _last_error(ending, signs) if r in latest]
        for record in [*alarming[:2], *alarming[-2:]]:
            line = _line_of(record, signs)
            if all(line.text != other.text for other in shown):
                shown.append(line)
    return shown[:_SHOWN]


def _line_of_finding(finding: Finding, signs: Signs) -> Evidence:
    raised = finding.record.raised
    if raised and (not raised.type or TRACEBACK in finding.text):  # only the header would be shown
        return _line_of(finding.record, signs)
    says = REPORTS_STATUS if signs.act(finding.signature.id) == STATUS else finding.signature.title
    return _line(says, finding.record, finding.text, finding.line)


def _alarm(record: Record, signs: Signs) -> int | None:
    """Return where the record has a word for a failure, outside of source code; None if it has none.

    A line that counts what failed and what succeeded does not count, unless nothing succeeded.
    """
    text = record.text[:2000]
    for at, sign in signs.alarms(text):
        if at - text.rfind("\n", 0, at) - 1 > _FRONT or sign not in ("", "counted") or is_source(record, at):
            continue
        line = record.text_at(at)
        tally = signs.tally([line])
        if signs.all_failed(line) or (not sign and (tally is None or tally.all_failed)):
            return at
    first = text.partition("\n")[0]
    return 0 if any(signs.says(sign, first) for sign in ("hung", "status", "verdict")) else None


def _stops(record: Record, signs: Signs) -> bool:
    """Return whether the record has a word for a failure, and does not say that the program goes on or is to stop."""
    at = _alarm(record, signs)
    return at is not None and not _is_calm(record.text_at(at), signs)


def _line_of(record: Record, signs: Signs) -> Evidence:
    if record.raised and not record.raised.type:
        said = "the traceback breaks off before its last line, which names the error"
        lines = [pair for pair in zip(record.lines, record.text.split("\n"), strict=False) if pair[1].strip("^~ ")]
        return _line(said, record, lines[-1][1], lines[-1][0])
    if record.raised:
        text = f"{record.raised.type}: {record.raised.message}".split("\n")[0]
        return _line("the exception that was raised last", record, text, record.lines[-1])
    at = _alarm(record, signs) or 0
    text = record.text_at(at)
    says = REPORTS_STATUS if _is_bare(text, signs) else "looks like an error"
    return _line(says, record, text, record.line_at(at))


def _is_bare(text: str, signs: Signs) -> bool:
    """Return whether a line reports a status or that the run failed, and says no more."""
    return any(signs.says(sign, text) for sign in ("status", "verdict"))


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
        alarming += _last_error(ending, signs)
        if any(r.raised and (r.source, r.offset) not in harmless for r in last) or any(
            (r.source, r.offset) not in known for r in alarming
        ):
            return True
    return False


def unknown_before(anchor: Finding, incident: Incident, signs: Signs) -> bool:
    """Return whether `anchor` is a bare status, and a line right before it looks like an error that nobody knows."""
    ending = next((one for one in incident.ends if one.records and one.records[0].source == anchor.record.source), None)
    if ending is None or signs.act(anchor.signature.id) != STATUS:
        return False
    known = _harmless(incident, signs)
    known |= {(one.record.source, one.offset) for one in (*incident.failing, *incident.context)}
    before = [one for one in ending.records if one.offset < anchor.offset and one.text.strip()][-_LAST:]
    worked = _worked_until(ending, incident)
    return any(
        one.offset >= worked
        and one.prefix.level not in _QUIET
        and (one.source, one.offset) not in known
        and _stops(one, signs)
        and not (_is_bare(one.text, signs) or one.text.rstrip().endswith(":"))  # a report's headings say no more
        for one in before
    )


def _last_error(ending: SourceEnd, signs: Signs) -> list[Record]:
    """Return the last record, if its level is for errors and it does not say that the program goes on."""
    last = [record for record in with_telling_levels(ending.records) if record.text.strip()][-1:]
    return [one for one in last if one.prefix.level == "ERROR" and not _is_calm(one.text, signs)]


def _is_calm(text: str, signs: Signs) -> bool:
    return any(signs.says(sign, text) for sign in ("goes-on", "stop"))


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

"""Find the failures that a program caught: it prints them, item by item or once, and continues in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise

from logsense.incident.ledger import ACTS, LIFE, OUTERMOST, REMARKS, Entry, joined
from logsense.incident.overcome import OWN_LINES, overcome, process_of
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.reading import FAILING, FailedItems
from logsense.model.record import Frame, Record
from logsense.records.fingerprint import shape
from logsense.util.noun import NamedTuple
from logsense.util.regexes import Lazy

OWN_CHARS = 80  # a program reports briefly; longer lines after an exception are the prose of its message
LEAST_ITEMS = 3  # fewer equal failures do not show that every item fails
WENT_ON = ("done", "round", "saved", "total", "caught")
_NUMBER = Lazy(r"\d{1,9}")
BY_PROGRAM = ("uncaught", "logged", "known", "remark")  # kinds of failures that a program can print and survive


class Caught(NamedTuple):
    """What a program caught, by the offsets of the records.

    `exceptions` and `lines` ended nothing; after those in `final` the program gave up. In `blamed` every item of the
    program ended: they are the failure of the run. `tally` counts the items that failed.
    """

    exceptions: frozenset[int] = frozenset()
    lines: frozenset[int] = frozenset()
    final: frozenset[int] = frozenset()
    blamed: frozenset[int] = frozenset()
    tally: FailedItems = FailedItems()


class Said(NamedTuple):
    """The lines that a program prints after a failure, and those of them before the next one."""

    lines: tuple[str, ...]
    until_next: tuple[str, ...]


def caught_in(entries: Sequence[Entry], findings: Sequence[Finding], signs: Signs) -> Caught:
    """Return what the program caught, from the ledger `entries` of a run and its `findings`."""
    found: dict[int, list[Finding]] = {}
    for one in findings:
        if one.signature.kind in FAILING and signs.act(one.signature.id) != "value":
            found.setdefault(one.offset, []).append(one)
    groups: dict[Frame | bytes, list[int]] = {}
    for at, entry in enumerate(entries):
        key = _key(entry, found.get(entry.record.offset, ())) if entry.kind in BY_PROGRAM else None
        if key:
            groups.setdefault(key, []).append(at)
    caught = Caught(overcome(entries, found, signs))
    for key, places in groups.items():
        said = [_said(entries, at, signs) for at in places]
        tally = signs.tally(said[-1].lines)
        offsets = frozenset(entries[at].record.offset for at in places)
        if _all_failed(entries, places, said, tally, signs):
            caught = caught._replace(
                blamed=caught.blamed | offsets, tally=tally or FailedItems(len(places), len(places))
            )
            continue
        if isinstance(key, Frame) and _gave_up(entries, places[-1], said[-1], signs):
            caught = caught._replace(final=caught.final | {max(offsets)})
            continue
        if isinstance(key, Frame) and _is_caught([entries[at].record for at in places], said, tally, signs):
            caught = caught._replace(exceptions=caught.exceptions | offsets)
        elif isinstance(key, bytes) and _are_results(entries, key, places, said):
            caught = caught._replace(lines=caught.lines | offsets)
        else:
            continue
        caught = caught._replace(tally=tally or FailedItems(max(caught.tally.failed, len(places))))
    return caught


def _key(entry: Entry, found: Sequence[Finding]) -> Frame | bytes | None:
    """Return what the failures of different items share: where they were caught, or what their lines begin with."""
    raised = entry.record.raised
    if raised and raised.frames:
        return raised.frames[0]
    if not found or raised:
        return None
    first = min(found, key=lambda one: one.at)
    lead = first.record.text[: first.at].rpartition("\n")[2]
    return shape(lead) if any(one.isalnum() for one in lead) else None


def _said(entries: Sequence[Entry], at: int, signs: Signs) -> Said:
    """Return what the process of the failure at `at` says after it, up to an act that is none of the program's."""
    process = process_of(entries[at])
    tail = joined(entries[at].record)
    own = (n for n, line in enumerate(tail) if len(line) <= OWN_CHARS and _is_own(line, signs))
    lines = tail[next(own, len(tail)) :]
    until_next = None
    for one in islice(entries, at + 1, None):
        if process_of(one) != process:
            continue
        if one.kind in ACTS and one.kind not in BY_PROGRAM:
            break
        if one.kind in BY_PROGRAM and until_next is None:
            until_next = len(lines)
        first = one.record.text.partition("\n")[0]
        if one.kind in LIFE and not signs.request(first):  # each answer of a server speaks for itself alone
            lines.append(first)
    return Said(tuple(lines), tuple(lines[:until_next]))


def _is_own(line: str, signs: Signs) -> bool:
    return _says(signs, WENT_ON, line) or signs.tally([line]) is not None


def _says(signs: Signs, words: Sequence[str], line: str) -> bool:
    return any(signs.says(one, line) for one in words)


def _gave_up(entries: Sequence[Entry], at: int, said: Said, signs: Signs) -> bool:
    """Return whether the program says right before the exception at `at`, or after it, that it gave up."""
    record = entries[at].record
    before = [one.record.text for one in entries[max(at - 1, 0) : at] if process_of(one) == process_of(entries[at])]
    words = (*before, record.text.partition("\n")[0], *joined(record), *said.lines)
    return any(signs.says("gave-up", line) for line in words)


def _is_caught(records: Sequence[Record], said: Sequence[Said], tally: FailedItems | None, signs: Signs) -> bool:
    """Return whether the program continues after the last of the exceptions that were raised at one place.

    Python prints the outermost frame of an exception that ended a process. A program that shows it, too, must count its
    failures: else each could be of another process.
    """
    last, lines = records[-1], said[-1].lines
    raised = last.raised
    assert raised
    frames = [*raised.frames, *(frame for one in raised.chained for frame in one.frames)]
    if any(frame.function in OUTERMOST or not frame.function for frame in frames):
        return len(records) > 1 and tally is not None and tally.failed == len(records)
    if last.prefix.level in REMARKS and (lines or joined(last)):
        return True
    if any(one.until_next for one in said[:-1]) and len(joined(last)) > max(len(joined(one)) for one in records[:-1]):
        return True  # what no earlier exception of the loop says is the program's
    if not lines:
        return False
    if tally or any(_says(signs, WENT_ON, line) for line in lines) or any(one.until_next for one in said[:-1]):
        return True
    return len(lines) >= OWN_LINES


def _are_results(entries: Sequence[Entry], lead: bytes, places: Sequence[int], said: Sequence[Said]) -> bool:
    """Return whether failures whose lines begin with `lead` are results of items: other results are between them."""
    usual = _usual(entries)
    if len(said) == 1:  # of one item, which has a number, among others
        before = any(one.shape in usual for one in entries[: places[0]])
        after = said[0].lines
        if b"#" not in lead or not after or shape(after[0]) not in usual:
            return False
        numbers = [
            int(number[0]) for line in (entries[places[0]].record.text, after[0]) if (number := _NUMBER.search(line))
        ]
        return (before and len(after) > LEAST_ITEMS) or (len(numbers) > 1 and numbers[1] == numbers[0] + 1)
    between = [not usual.isdisjoint(map(shape, one.until_next)) for one in said[:-1]]
    return any(between) and bool(said[-1].lines)


def _all_failed(
    entries: Sequence[Entry], places: Sequence[int], said: Sequence[Said], tally: FailedItems | None, signs: Signs
) -> bool:
    """Return whether every item of the program failed: it says so, or counts items, and all lines belong to those."""
    if tally:
        return tally.all_failed
    first, between = entries[places[0]].record, [one.until_next for one in said[:-1]]
    if len(places) < LEAST_ITEMS or len({*map(len, between)}) > 1 or len(between[0]) > 1:
        return False
    silent = first.raised and first.prefix.level is None and not between[0]
    if silent or signs.says("caught", first.text.partition("\n")[0]):
        return False  # an item may succeed without a word, and a later attempt as well
    numbers = [int(found[0]) for lines in between for line in lines if (found := _NUMBER.search(line))]
    counted = len(numbers) == len(between) and all(later == number + 1 for number, later in pairwise(numbers))
    return (counted or not between[0]) and _usual(entries) <= {*map(shape, between[0])}


def _usual(entries: Sequence[Entry]) -> set[bytes]:
    """Return the shapes of lines that come more than once."""
    once: set[bytes] = set()
    usual: set[bytes] = set()
    for one in entries:
        if one.kind in LIFE:
            (usual if one.shape in once else once).add(one.shape)
    return usual

"""Find failures that a program overcame: it says so in its next lines, or it ends of something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logsense.incident.ledger import ACTS, BEFORE_REQUEST, LIFE, Entry, is_of_shell
from logsense.incident.signs import KILLED, Signs
from logsense.model.finding import Finding
from logsense.util.regexes import Lazy

Process = tuple[int | None, int | None]  # rank and process id
OWN_LINES = 3  # lines that show that a program works
MOST_LINES = 8  # of a record, in which a program says what succeeded
_NAME = Lazy(r"\w{4,}")  # of a module, file or setting
# A file, folder or address; no module, class or call, whose name goes on.
_OBJECT = Lazy(
    r"(?<![\w.~-])(?:[a-z0-9]{1,20}://|[\w.~-]{0,200}/)[\w./~%+@=-]*\w|(?<![\w.-])[\w-]{1,80}\.[a-z]\w{0,11}\b(?!\.\w|\()"
)


def overcome(entries: Sequence[Entry], found: Mapping[int, Sequence[Finding]], signs: Signs) -> frozenset[int]:
    """Return the offsets of failures that did not end the run; `found` has all of them by offset."""
    first = next((number for number, one in enumerate(entries) if one.record.offset in found), len(entries))
    later = entries[max(first - 1, 0) :]  # of those before the first failure, only the one right above it counts
    return frozenset(
        (
            *_succeeded(later, found, signs),
            *_skipped(entries, found, signs),
            *_of_commands(later, found, signs),
            *_ended_for_hanging(entries, found),
        )
    )


def process_of(entry: Entry) -> Process:
    """Return the process that printed an entry, as far as its prefix says."""
    return entry.record.prefix.rank, entry.record.prefix.pid


def _succeeded(entries: Sequence[Entry], found: Mapping[int, Sequence[Finding]], signs: Signs) -> list[int]:
    """Return the failures on objects with which the same process succeeds later.

    A server answers a request that failed right before or after it says why. A trial is named again before it is done.
    """
    harmless = []
    succeeded: dict[Process, set[str]] = {}
    done: set[str] = set()  # trials
    for number, one in reversed(list(enumerate(entries))):
        failing = found.get(one.record.offset, ())
        objects = succeeded.setdefault(process_of(one), set())
        if failing and one.kind in ("known", "remark", "logged"):
            names = {name for failed in failing for name in _OBJECT.findall(failed.text)} | _trial(one, signs)
            names |= {
                path
                for near in entries[max(number - 1, 0) : number + 2]
                for path in _requested(near, signs, failed=True)
            }
            if not names.isdisjoint(objects):
                harmless.append(one.record.offset)
        elif one.kind in LIFE and not failing:
            lines = one.record.text.split("\n")[:MOST_LINES]
            objects.update(name for line in lines if signs.says("succeeded", line) for name in _OBJECT.findall(line))
            if signs.says("succeeded", lines[0]):
                done |= _trial(one, signs)
            else:
                objects |= _trial(one, signs) & done  # it was tried again
            objects |= _requested(one, signs, failed=False)
    return harmless


def _trial(entry: Entry, signs: Signs) -> set[str]:
    """Return the trial of a sweep that an entry names, if any."""
    trial = signs.found("trial", _first(entry))
    return {trial[0].lower()} if trial else set()


def _requested(entry: Entry, signs: Signs, *, failed: bool) -> set[str]:
    """Return the path of a request that a server answered with an error, or well."""
    request = signs.request(_first(entry))
    return {request.path} if request and request.failed == failed else set()


def _first(entry: Entry) -> str:
    return entry.record.text.partition("\n")[0]


def _skipped(entries: Sequence[Entry], found: Mapping[int, Sequence[Finding]], signs: Signs) -> list[int]:
    """Return the failures after which the program says that it continues.

    They count only if the program later fails in the same way, or if it ends with an exception: after it continued as
    before, or one that names nothing of what the program goes on without.
    """
    harmless = []
    last: Entry | None = None  # the last act
    later: set[str] = set()  # messages of later acts
    following: set[bytes] = set()  # lines up to the next failure
    first: dict[bytes, int] = {}
    for number, one in enumerate(entries):
        first.setdefault(one.shape, number)
    for number, one in reversed(list(enumerate(entries))):
        failing = found.get(one.record.offset, ())
        messages = {failed.signature.id for failed in failing}
        if messages and one.kind == "remark":
            ended = last is not None and last.kind == "uncaught"
            goes_on = any(first[line] < number for line in following)
            if messages <= later or (ended and (goes_on or _is_other(last, failing, signs))):
                harmless.append(one.record.offset)
        if messages:
            following = set()
        elif one.kind in LIFE:
            following.add(one.shape)
        if one.kind in ACTS:
            last = last or one
            later |= messages
    return harmless


def _is_other(last: Entry | None, failing: Sequence[Finding], signs: Signs) -> bool:
    """Return whether the program goes on without what failed, and the exception that ended it names nothing of that."""
    names = {word for one in failing for value in one.captures.values() for word in _NAME.findall(str(value))}
    said = all(signs.says("caught", one.text) for one in failing)
    return said and last is not None and bool(names) and not any(name in last.record.text for name in names)


def _of_commands(entries: Sequence[Entry], found: Mapping[int, Sequence[Finding]], signs: Signs) -> list[int]:
    """Return the failures of a script's small commands, and of its shell, that did not end the job.

    After a small command fails, other programs print several lines, don't give up and don't fail on the same object.
    What the shell couldn't do is harmless if a scheduler ended the job later, or if a Python program warned later and
    nothing failed.
    """
    harmless = []
    said = 0
    gave_up = False
    ended = False  # by a scheduler
    warned = False  # by a program that the shell started
    failed = False  # later, beyond what the shell couldn't do
    objects: set[str] = set()  # of later failures
    for one in reversed(entries):
        failing = found.get(one.record.offset, ())
        names = {name for failed in failing for name in _OBJECT.findall(failed.text)}
        if failing and one.kind in ("known", "shell") and signs.says("command", failing[0].text):
            worked = said >= OWN_LINES and not gave_up and names.isdisjoint(objects)
            harmless += [one.record.offset] if worked else []
        elif (ended or (warned and not failed)) and is_of_shell(failing):
            harmless.append(one.record.offset)
        elif one.kind in LIFE:
            said += 1
        warned = warned or signs.says("warned", _first(one))
        gave_up = gave_up or one.kind == "status" or (one.kind in LIFE and signs.says("gave-up", _first(one)))
        ended = ended or (one.kind == "outside" and any(failed.signature.ends_run for failed in failing))
        failed = failed or bool(failing and not is_of_shell(failing))
        objects |= names
    return harmless


def _ended_for_hanging(entries: Sequence[Entry], found: Mapping[int, Sequence[Finding]]) -> list[int]:
    """Return the signals that a program got because it hung: the line that says so is the better evidence."""
    hung = [one for one in entries if one.kind == KILLED and one.record.offset not in found]
    return [
        one.record.offset
        for one in entries
        if one.kind == "outside" and any(0 <= by.life - one.life <= BEFORE_REQUEST for by in hung)
    ]

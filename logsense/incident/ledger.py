"""List the acts that may have ended a run; what the process prints after an act reduces its strength."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.incident.beside import places_beside
from logsense.incident.of_task import standing
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.reading import FAILING
from logsense.model.record import Record
from logsense.records.fingerprint import shape
from logsense.util.noun import NamedTuple

NEWEST = 1500  # records at the end
# The outermost frames of an uncaught exception. Of a caught one, Python prints only the frames from the `try` on.
OUTERMOST = ("<module>", "_bootstrap", "_bootstrap_inner", "spawn_main", "_run_module_as_main")
REMARKS = ("INFO", "DEBUG", "WARNING")
ALARMS = ("ERROR", "CRITICAL", "FATAL")
ACTS = ("outside", "uncaught", "kernel", "status", "known", "logged", "stop")
ASKED = ("outside", "stop")
ENDED_ITSELF = ("uncaught", "kernel", "status")
# Signs of life after an act, by kind; HALF halves the strength of the act, and after MOST no act counts.
LIFE = {"plain": 1.0, "good": 1.0, "saved": 1.0, "stop": 1.0, "message": 0.2, "again": 3.0, "progress": 3.0}
HALF, MOST = 8.0, 200.0
FEWEST_LEVELS = 10  # records that show how a log uses levels; fewer may be an excerpt of its errors
OF_VERDICT = 3.0  # a scheduler's verdict takes this many times more, because buffered output may follow it
OF_MESSAGE = 5  # lines after an exception that may continue its message
# A failure after a request to stop is a consequence of it, if less than CHAIN life follows the request. If the process
# ended within BEFORE_REQUEST before it, the request is a launcher's cleanup. Consequences keep FOLLOWED of their
# strength.
CHAIN, BEFORE_REQUEST, FOLLOWED = 25.0, 12.0, 0.3


class Entry(NamedTuple):
    """A record with its kind, its text without numbers, and the life after it in its own process."""

    record: Record
    kind: str
    shape: bytes
    life: float
    strength: float


def ledger(
    records: Sequence[Record], findings: Sequence[Finding], progress: Sequence[Finding], signs: Signs
) -> list[Entry]:
    """Return entries for the newest of `records`, in order; `findings` are those of the run that are not noise."""
    records = with_telling_levels(records[-NEWEST:])
    shapes = [shape(record.text.partition("\n")[0]) for record in records]
    failed = {finding.offset for finding in findings if finding.signature.kind in FAILING}
    messages, again = _messages(records, shapes, failed)
    found: dict[int, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.offset, []).append(finding)
    reports = {finding.offset for finding in progress}
    beside = {offset for _, offset, _ in places_beside(findings)}
    verdict = standing(findings, progress)
    unserved = _is_unserved(records, signs)
    # Output of other ranks after an act proves nothing.
    everyone, nobody, worked, lives = 0.0, 0.0, 0.0, dict[int, float]()
    entries = []
    for number in range(len(records) - 1, -1, -1):
        record = records[number]
        rank = record.prefix.rank
        life = everyone if rank is None else nobody + lives.get(rank, 0.0)
        life = 0.0 if verdict and record.offset == verdict.offset else life
        kind = "old"
        if life < MOST:
            kind = _kind(record, found.get(record.offset, ()), record.offset in reports, signs)
            kind = "logged" if kind == "uncaught" and record.offset in beside else kind
            request = signs.request(record.text) if kind == "plain" else None
            if request and (request.failed or unserved):
                kind = "aside"
            if kind == "plain":
                kind = "message" if number in messages else "again" if number in again else kind
        life += _life_of(joined(record)) if kind in ACTS else 0.0
        final = kind == "outside" and any(one.signature.ends_run for one in found.get(record.offset, ()))
        half = HALF * OF_VERDICT if final else HALF
        proves = min(life, worked) if kind == "kernel" else life  # other lines are of those who saw it die
        entries.append(Entry(record, kind, shapes[number], life, 1 / (1 + proves / half)))
        more = LIFE.get(kind, 0.0)
        everyone += more
        worked += more if kind == "progress" else 0.0
        if rank is None:
            nobody += more
        else:
            lives[rank] = lives.get(rank, 0.0) + more
    if not reports and everyone <= HALF:  # the script says hardly anything: what its shell could not do was the work
        entries = [one._replace(kind="known") if one.kind == "shell" else one for one in entries]
    return _chained(entries[::-1])


def _is_unserved(records: Sequence[Record], signs: Signs) -> bool:
    """Return whether a server fails on some path to the end; its answers on others are no signs of life.

    A path is not lost if one request to it failed and others before it, or others on other paths after it, did not.
    """
    requests = [request for record in records if (request := signs.request(record.text))]
    answers: dict[str, str] = {}
    for one in requests:
        answers[one.path] = answers.get(one.path, "") + one.status
    last = requests[-1].path if requests else ""
    return any(every[-1] == "5" and (path == last or every[-2:-1] == "5") for path, every in answers.items())


def with_telling_levels(records: Sequence[Record]) -> Sequence[Record]:
    """Return `records` without levels if most are alarms: collectors give that level to all of standard error."""
    alarms = sum(record.prefix.level in ALARMS for record in records)
    if len(records) < FEWEST_LEVELS or 2 * alarms <= len(records):
        return records
    return [record._replace(prefix=record.prefix._replace(level=None)) for record in records]


def _messages(records: Sequence[Record], shapes: Sequence[bytes], failed: set[int]) -> tuple[set[int], set[int]]:
    """Return the numbers of records that may continue an exception's message, and of those that repeat earlier ones."""
    messages: set[int] = set()
    again: set[int] = set()
    said: set[bytes] = set()
    before: set[bytes] = set()
    left = 0
    for number, record in enumerate(records):
        if shapes[number] in before:
            again.add(number)
            left = 0
        elif left and record.prefix.time is None and shapes[number] not in said:
            messages.add(number)
            left -= 1
        else:
            left = 0
        if record.raised is not None:
            left = OF_MESSAGE
        if record.raised is not None or record.offset in failed:
            before |= said
        said.add(shapes[number])
    return messages, again


def _kind(record: Record, found: Sequence[Finding], reports: bool, signs: Signs) -> str:
    failing = [one for one in found if one.signature.kind in FAILING and signs.act(one.signature.id) != "value"]
    if reports and not failing:
        return "progress"
    if any("idle" in one.signature.traits for one in found):
        return "idle"
    stated = {act for one in found if (act := signs.act(one.signature.id))}
    if "outside" in stated:
        return "outside"
    if any("refusal" in one.signature.traits for one in failing):
        return "uncaught"
    first = record.text.partition("\n")[0]
    aside = (not failing or record.raised is not None) and signs.says("aside", first)
    if aside or "aside" in stated:
        return "aside"
    if record.raised is not None and record.raised.frames:
        return "uncaught" if is_uncaught(record) or signs.says("verdict", first) else "logged"
    named = next((act for act in ("kernel", "status") if act in stated), "")
    return named or (_kind_of_failing(record, failing, signs) if failing else _kind_of_words(record, found, signs))


def is_uncaught(record: Record) -> bool:
    """Return whether the exception of a record ended its process: Python prints its outermost frame."""
    raised = record.raised
    if raised is None or not raised.frames or record.prefix.level is not None:
        return False
    frames = (*raised.frames, *(frame for one in raised.chained for frame in one.frames))
    return any(frame.function in OUTERMOST or not frame.function for frame in frames)


def is_of_shell(failing: Sequence[Finding]) -> bool:
    """Return whether a shell complains in a record, and goes on with its next command."""
    failures = [one for one in failing if one.signature.kind == "failure"] or failing
    return bool(failures) and all("goes_on" in one.signature.traits for one in failures)


def _kind_of_failing(record: Record, failing: Sequence[Finding], signs: Signs) -> str:
    if is_of_shell(failing):
        return "shell"
    remark = record.prefix.level in REMARKS or signs.says("caught", failing[0].text)
    return "remark" if remark else "known"


def _kind_of_words(record: Record, found: Sequence[Finding], signs: Signs) -> str:
    lines = record.text.split("\n")
    lines = lines[:1] if record.raised else [*lines[:OF_MESSAGE], *lines[OF_MESSAGE:][-OF_MESSAGE:]]
    signs_of_end = ("verdict",) if record.prefix.level in REMARKS else ("verdict", "status")
    if any(signs.says(sign, line) for sign in signs_of_end for line in lines):
        return "status"
    for kind, name in (("end", "good"), ("checkpoint", "saved"), ("noise", "aside")):
        if any(one.signature.kind == kind for one in found):
            return name
    if record.raised is not None:
        return "logged" if record.prefix.level is not None else "known"
    if any(signs.says("hung", line) for line in lines):
        return "kernel"
    if any(signs.says("stop", line) for line in lines):
        return "stop"
    return "known" if record.prefix.level in ALARMS else "plain"


def joined(record: Record) -> list[str]:
    """Return the lines that were joined to an exception's message but may not belong to it."""
    lines = record.raised.message.split("\n")[1:] if record.raised else []
    return [line for line in lines if line and not line[0].isspace()]


def _life_of(lines: Sequence[str]) -> float:
    return LIFE["message"] * min(len(lines), OF_MESSAGE) + max(0, len(lines) - OF_MESSAGE)


def _chained(entries: list[Entry]) -> list[Entry]:
    """Return `entries` with consequences of a request to stop weakened, or the request if it follows an end."""
    asked = next((n for n, one in enumerate(entries) if one.kind in ASKED and one.life < CHAIN), None)
    if asked is None:
        return entries
    life = entries[asked].life
    ended = any(one.kind in ENDED_ITSELF and one.life - life <= BEFORE_REQUEST for one in entries[:asked])
    follows = ASKED if ended else tuple(kind for kind in ACTS if kind not in ASKED)
    return [
        one._replace(strength=one.strength * FOLLOWED) if number >= asked and one.kind in follows else one
        for number, one in enumerate(entries)
    ]

"""Judge how a run ended: the probability of each end, by a small model over features of the last records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from logsense.incident.ledger import ACTS, Entry, joined
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.util.noun import NamedTuple

ENDS = ("completed", "failed", "outside", "none")
LAST = 8  # the last records, in which a good end is expected
RECENT = 30  # a line is new if no record before these, or before the last fifth, is like it
SPOKEN = (
    "plain",
    "again",
    "message",
    "good",
    "saved",
    "progress",
    "aside",
    "stop",
    "caught",
)  # kinds that report no failure
STRONG = 0.15  # a good end counts only after the last act of at least this strength
REPORTS = 20  # the last progress reports, of which the latest for each total count
SHORTEST_CUT = 4  # bytes of a line that shows which line it is the beginning of
FADES = 6.0  # lines after an unfinished counter until it no longer counts


class Judgement(NamedTuple):
    """The features of a run's end, and the probability of each way to end."""

    features: Mapping[str, float]
    ends: Mapping[str, float]

    @property
    def bad(self) -> float:
        """Return the probability that the run did not end by its own choice."""
        return self.ends["failed"] + self.ends["outside"]


def features(entries: Sequence[Entry], progress: Sequence[Finding], signs: Signs, *, cut: bool) -> dict[str, float]:
    """Return the features of a run's end, each from 0 to 1; `cut` means that the last line has no line break."""
    cut = cut or _is_cut(entries)
    values = dict.fromkeys(ACTS, 0.0)
    for one in entries:
        if one.kind in values:
            values[one.kind] = max(values[one.kind], one.strength)
    values["none"] = 1 - max(values.values())
    counters = _counters(entries, progress)
    values |= _good(entries, progress[-1].offset if counters["under"] else -1, signs)
    values |= counters
    shapes = [one.shape for one in entries[: _until_late_output(entries)]]
    values["lastold"] = float(bool(shapes) and shapes[-1] in shapes[:-1])
    values["cut"] = float(cut)
    return values


def _until_late_output(entries: Sequence[Entry]) -> int:
    """Return how many entries precede the late output of other processes, which a collector prints at the end."""
    own = [number for number, one in enumerate(entries, 1) if one.record.prefix.pid is None]
    return own[-1] if own and own[-1] > len(entries) - LAST else len(entries)


def _is_cut(entries: Sequence[Entry]) -> bool:
    """Return whether the last line is the beginning of a line that the program repeats."""
    last = entries[-1].shape if entries else b""
    longer = sum(one.shape.startswith(last) and one.shape != last for one in entries[:-1])
    return len(last) >= SHORTEST_CUT and longer >= 2 and all(one.shape != last for one in entries[:-1])


def judge(values: Mapping[str, float], signs: Signs) -> Judgement | None:
    """Return the probability of each end for the features `values`; None if the catalog has no weights."""
    weights = signs.table("outcome-weights")
    if not weights:
        return None
    scores = dict.fromkeys(ENDS, 0.0)
    for row in weights:
        value = values.get(str(row["feature"]), 1.0 if row["feature"] == "bias" else 0.0)
        for end in ENDS:
            scores[end] += value * float(str(row[end]))
    top = max(scores.values())
    powers = {end: math.exp(score - top) for end, score in scores.items()}
    total = sum(powers.values())
    return Judgement(values, {end: power / total for end, power in powers.items()})


def _good(entries: Sequence[Entry], unfinished: int, signs: Signs) -> dict[str, float]:
    """Return signs of a good end in the last records after the last act; what a loop repeats does not count.

    Neither does what precedes the last report, at offset `unfinished`, if that expects more.
    """
    last = max(
        (
            number
            for number, one in enumerate(entries)
            if (one.kind in ACTS and one.strength > STRONG) or one.record.offset <= unfinished
        ),
        default=-1,
    )
    worked = [one.kind for one in entries[last + 1 :] if one.kind in ("idle", "progress")]
    if worked[-1:] == ["idle"]:  # who had nothing to work on ends soon, and well
        return dict.fromkeys(("good", "totals", "saved"), 0.0)
    old = {one.shape for one in entries[: min(max(0, len(entries) - RECENT), len(entries) * 4 // 5)]}
    new = [one for one in entries[max(last + 1, len(entries) - LAST) :] if one.kind in SPOKEN and one.shape not in old]
    lines = [line for one in new if one.kind not in ("caught", "aside") for line in one.record.text.split("\n")[:LAST]]
    own = [line for one in new if one.kind != "aside" for line in _lines(one)]
    return {
        "good": float(any(one.kind == "good" for one in new) or any(signs.is_good_end(line) for line in own)),
        "totals": float(any(signs.says("total", line) for line in lines)),
        "saved": float(any(one.kind == "saved" for one in new) or any(signs.says("saved", line) for line in lines)),
    }


def _lines(entry: Entry) -> list[str]:
    """Return the first lines of a record, without those of an exception that was caught."""
    return (joined(entry.record) if entry.kind == "caught" else entry.record.text.split("\n"))[:LAST]


def _counters(entries: Sequence[Entry], progress: Sequence[Finding]) -> dict[str, float]:
    """Return whether all counters of the latest reports are at their totals, and whether they expect more."""
    counted = [one for one in progress if any(_total(one, count) is not None for count in ("step", "epoch"))]
    if not counted:
        return {"whole": 0.0, "under": 0.0}
    latest = {(one.captures.get("steps"), one.captures.get("epochs")): one for one in counted[-REPORTS:]}
    whole = all(_is_whole(one, counted) for one in latest.values())
    behind = sum(1 for one in entries if one.record.offset > counted[-1].offset)
    return {"whole": float(whole), "under": 0.0 if whole else max(0.0, 1 - behind / FADES)}


def _is_whole(report: Finding, counted: Sequence[Finding]) -> bool:
    """Return whether each counter of a report is at its total; one that starts at 0 ends one below it."""
    for count in ("step", "epoch"):
        total = _total(report, count)
        if total is not None:
            done = [float(str(one.captures[count])) for one in counted if _total(one, count) == total]
            if done[-1] < total - (min(done) == 0 and len(done) > 1):
                return False
    return True


def _total(finding: Finding, count: str) -> float | None:
    done, total = finding.captures.get(count), finding.captures.get(f"{count}s")
    return float(total) if isinstance(done, (int, float)) and isinstance(total, (int, float)) else None

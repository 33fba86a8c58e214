"""How a run ended, with the probability of each answer: a small model over features of its last records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from logsense.incident.ledger import ACTS, Entry
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.util.noun import NamedTuple

ENDS = ("completed", "failed", "outside", "none")
LAST = 8  # records in which a good end is looked for
RECENT = 30  # what a line says is new where its like did not come before so many records, or the last fifth
SPOKEN = ("plain", "again", "message", "good", "saved", "progress", "aside", "stop")  # by the program, of no failure
STRONG = 0.15  # a good end stands behind the last act of this strength
REPORTS = 20  # the last of these, for each total that they count to, are looked at
FADES = 6.0  # lines behind a report whose counters say that there is more to come


class Judgement(NamedTuple):
    """The features of a run's end, and the probability of each way to end."""

    features: Mapping[str, float]
    ends: Mapping[str, float]

    @property
    def bad(self) -> float:
        """The probability that the run did not end by its own choice."""
        return self.ends["failed"] + self.ends["outside"]


def features(entries: Sequence[Entry], progress: Sequence[Finding], signs: Signs, *, cut: bool) -> dict[str, float]:
    """What the model goes by, each from 0 to 1; `cut` says that the last line has no end."""
    told = dict.fromkeys(ACTS, 0.0)
    for one in entries:
        if one.kind in told:
            told[one.kind] = max(told[one.kind], one.strength)
    told["none"] = 1 - max(told.values())
    told |= _good(entries, signs)
    told |= _counters(entries, progress)
    shapes = [one.shape for one in entries]
    told["lastold"] = float(bool(shapes) and shapes[-1] in shapes[:-1])
    told["cut"] = float(cut)
    return told


def judge(told: Mapping[str, float], catalog: Catalog) -> Judgement | None:
    """How likely each end is; None where no weights are known."""
    table = catalog.table("outcome-weights")
    if table is None:
        return None
    scores = dict.fromkeys(ENDS, 0.0)
    for row in table.rows:
        value = told.get(str(row["feature"]), 1.0 if row["feature"] == "bias" else 0.0)
        for end in ENDS:
            scores[end] += value * float(str(row[end]))
    top = max(scores.values())
    powers = {end: math.exp(score - top) for end, score in scores.items()}
    total = sum(powers.values())
    return Judgement(told, {end: power / total for end, power in powers.items()})


def _good(entries: Sequence[Entry], signs: Signs) -> dict[str, float]:
    """Signs of a good end in the last records behind the last act; what a loop says each time is none."""
    last = max((n for n, one in enumerate(entries) if one.kind in ACTS and one.strength > STRONG), default=-1)
    old = {one.shape for one in entries[: min(max(0, len(entries) - RECENT), len(entries) * 4 // 5)]}
    new = [one for one in entries[max(last + 1, len(entries) - LAST) :] if one.kind in SPOKEN and one.shape not in old]
    lines = [line for one in new for line in one.record.text.split("\n")[:LAST]]
    own = [line for one in new if one.kind != "aside" for line in one.record.text.split("\n")[:LAST]]
    return {
        "good": float(any(one.kind == "good" for one in new) or any(signs.says("done", line) for line in own)),
        "totals": float(any(signs.says("total", line) for line in lines)),
        "saved": float(any(one.kind == "saved" for one in new) or any(signs.says("saved", line) for line in lines)),
    }


def _counters(entries: Sequence[Entry], progress: Sequence[Finding]) -> dict[str, float]:
    """Whether all counters of the latest reports are at their totals, or there is more to come."""
    counted = [one for one in progress if any(_total(one, count) is not None for count in ("step", "epoch"))]
    if not counted:
        return {"whole": 0.0, "under": 0.0}
    latest = {(one.captures.get("steps"), one.captures.get("epochs")): one for one in counted[-REPORTS:]}
    whole = all(_is_whole(one, counted) for one in latest.values())
    behind = sum(1 for one in entries if one.record.offset > counted[-1].offset)
    return {"whole": float(whole), "under": 0.0 if whole else max(0.0, 1 - behind / FADES)}


def _is_whole(report: Finding, counted: Sequence[Finding]) -> bool:
    """Whether each counter of a report is at its total; one that began at 0 ends one short of it."""
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

"""Fit the weights by which a run's end is judged to labelled logs, or tell how well the present ones do.

    python benchmarks/ends.py [--fit] [--half fit|test] [--cases CASES.yaml …] CLONES

CLONES is a folder with a clone of each repository that ends.yaml names, as OWNER/NAME. Beside these logs, those in
tests/incident/ends.yaml, tests/failing and tests/healthy count, and those of the case files. Prints the share of right
answers for each set, and with --fit the rows for rules/_tables/outcome-weights.yaml first.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from logsense.catalog.load import load_catalog
from logsense.diagnose.rank import rank_causes
from logsense.incident.alarms import with_alarms
from logsense.incident.held_output import in_order
from logsense.incident.incident import correlate
from logsense.incident.judge import ENDS, judge
from logsense.incident.last_run import last_run, without_caught
from logsense.incident.signs import Signs
from logsense.incident.verdict import LEAST_BAD
from logsense.match.read import scan_text, with_ends
from logsense.model.knowledge import Catalog

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
# Short failing logs would set how probable a failure is before anything is looked at.
PUBLIC, PROGRAM, CASE, TEST = 1.0, 0.7, 0.5, 0.15
FIXED = {"cause": (-0.7, 0.8, 0.6, -0.7)}  # the cases are those that causes are tuned on
STEPS, RATE, PENALTY = 600, 0.5, 1 / 3
REPORT = re.compile(rb"(?m)^# (?:Other prints|Output)\n")


class Labelled(NamedTuple):
    """A log with its features, the ends that are right, and how much it counts."""

    name: str
    kind: str
    features: Mapping[str, float]
    right: frozenset[str]
    weight: float


def logs(clones: Path, half: str, cases: Sequence[Path]) -> Iterator[tuple[str, str, bytes, str, float]]:
    """Name, set, text, right ends and weight of each labelled log."""
    for one in yaml.safe_load((HERE / "ends.yaml").read_text()):
        if half == one["half"]:
            for path, ends in one["logs"].items():
                name = f"{one['repository']}/{path}"
                yield name, "public", _file(clones / one["repository"], one["commit"], path), ends, PUBLIC
    if half == "fit":
        for one in yaml.safe_load((TESTS / "incident/ends.yaml").read_text()):
            yield one["name"], "programs", one["log"].encode(), one["end"], PROGRAM
        for folder, ends in (("failing", "failed outside"), ("healthy", "completed none")):
            for path in sorted((TESTS / folder).glob("*.log")):
                yield path.name, folder, path.read_bytes(), ends, TEST
    for path in cases:
        for case in yaml.safe_load(path.read_text()):
            text = case["log"].encode() if "log" in case else (path.parent / case["file"]).read_bytes()
            healthy = not case["truth"] or case["truth"][0].startswith("benign.")
            outside = not healthy and case["truth"][0].startswith("scheduler.")
            yield case["id"], path.stem, text, "completed none" if healthy else "outside" if outside else "failed", CASE


def _file(clone: Path, commit: str, path: str) -> bytes:
    text = subprocess.run(["git", "-C", clone, "show", f"{commit}:{path}"], stdout=subprocess.PIPE, check=True).stdout
    if not path.endswith(".md"):
        return text
    body = text[[*REPORT.finditer(text)][-1].end() :]
    return b"\n".join(line for line in body.split(b"\n") if line.strip() != b"```").strip(b"\n") + b"\n"


def labelled(name: str, kind: str, text: bytes, ends: str, weight: float, catalog: Catalog) -> Labelled:
    """Return the features and the right ends of a log."""
    signs = Signs(catalog)
    [reading] = with_ends([scan_text(text, catalog, name)], catalog)
    reading = in_order(reading, signs)
    run = last_run(reading, signs)
    incident = without_caught(correlate([reading], signs), [run], None)
    ranking = rank_causes(with_alarms(incident, signs), catalog)
    sure = ranking.confidence if ranking.outcome == "failed" else 0.0
    return Labelled(name, kind, {**run.features, "cause": sure, "bias": 1.0}, frozenset(ends.split()), weight)


def fit(known: Sequence[Labelled]) -> dict[str, list[float]]:
    """Return the weight of each feature for each end, by gradient descent with a rate of its own for each weight."""
    names = sorted({name for one in known for name in one.features})
    weights = {name: [*FIXED.get(name, [0.0] * len(ENDS))] for name in names}
    steepness = {name: [1e-8] * len(ENDS) for name in names}
    for _ in range(STEPS):
        slopes = {name: [PENALTY * w * (name != "bias") for w in row] for name, row in weights.items()}
        for one in known:
            present = [(name, value) for name, value in one.features.items() if value]
            shares = _shares([sum(weights[name][end] * value for name, value in present) for end in range(len(ENDS))])
            right = sum(share for end, share in zip(ENDS, shares, strict=True) if end in one.right)
            for end, share in enumerate(shares):
                slope = one.weight * (share - (share / right if ENDS[end] in one.right else 0.0))
                for name, value in present:
                    slopes[name][end] += slope * value
        for name in set(names) - FIXED.keys():
            for end, slope in enumerate(slopes[name]):
                steepness[name][end] += slope * slope
                weights[name][end] -= RATE * slope / math.sqrt(steepness[name][end])
    return weights


def _shares(scores: Sequence[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def print_scores(known: Sequence[Labelled], signs: Signs) -> None:
    """Print how many answers are right, set by set."""
    for kind in sorted({one.kind for one in known}):
        three = four = alarms = silent = 0
        error = 0.0
        these = [one for one in known if one.kind == kind]
        for one in these:
            judged = judge(one.features, signs)
            assert judged
            bad = judged.bad >= LEAST_BAD
            healthy = one.right <= {"completed", "none"}
            worse = max(("failed", "outside"), key=judged.ends.__getitem__)
            three += (healthy and not bad) or (bad and worse in one.right)
            four += max(ENDS, key=judged.ends.__getitem__) in one.right
            alarms += healthy and bad
            silent += not healthy and not bad
            error += (judged.bad - (not healthy)) ** 2
        number = len(these)
        print(f"{kind:14} {number:4} logs; three words {three / number:.1%}, four {four / number:.1%}; false alarms "
              f"{alarms}, silent {silent}; Brier {error / number:.4f}")  # fmt: skip


def main() -> None:
    """Fit the weights if asked to, and print how many answers are right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", metavar="CLONES", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--half", choices=("fit", "test"), default="fit")
    parser.add_argument("--cases", metavar="CASES.yaml", type=Path, nargs="+", default=[])
    options = parser.parse_args()
    catalog = load_catalog()
    known = [labelled(*one, catalog) for one in logs(options.clones, options.half, options.cases)]
    if options.fit:
        for name, row in fit(known).items():
            print(f"{name:10}", ", ".join(f"{end}: {weight:.2f}" for end, weight in zip(ENDS, row, strict=True)))
    print_scores(known, Signs(catalog))


if __name__ == "__main__":
    main()

"""Fit what turns weights into probabilities to labelled cases, and print how reliable the probabilities are.

    python benchmarks/calibrate.py CASES.yaml [CASES.yaml ...]

A case file is a YAML list; each case has `log` (text) or `file` (path beside the case file) and `truth`: the causes
that count as right, best first. Prints the fitted TEMPERATURE for logsense/diagnose/score.py and the weight of the cause `unknown`, the
Brier score of a five-fold cross-validation, and a reliability table for docs/.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple

import yaml

from logsense.catalog.load import load_catalog
from logsense.diagnose import score
from logsense.diagnose.conditions import Conditions
from logsense.facts.facts import Facts
from logsense.incident.incident import correlate
from logsense.incident.signs import Signs
from logsense.match.read import scan_text, with_ends
from logsense.model.knowledge import Catalog
from logsense.model.rule import STRENGTHS, UNKNOWN

FOLDS = 5


class Answer(NamedTuple):
    """The scores of the causes that were found, best first, the most that the first may claim, and whether it is right."""

    scores: tuple[float, ...]
    at_most: float
    right: bool


def answers(paths: list[Path], catalog: Catalog) -> list[Answer]:
    """Return the answer to every case that failed and for which some cause was found."""
    found = []
    for path in paths:
        for case in yaml.safe_load(path.read_text()) or []:
            truth = [cause for cause in case.get("truth") or [] if not cause.startswith("benign.")]
            if not truth:
                continue
            data = (path.parent / case["file"]).read_bytes() if "file" in case else case["log"].encode()
            incident = correlate(with_ends([scan_text(data, catalog, "input")], catalog), Signs(catalog))
            judge = Conditions(catalog, incident, Facts(catalog, incident))
            causes = score.candidates(catalog.rules_for(judge.ids(), judge.facts.names()), judge, incident)
            causes = [one for one in causes if one.rule.cause != UNKNOWN]
            if causes:
                right = causes[0].rule.cause in truth
                found.append(Answer(tuple(c.score for c in causes), score.capped(causes[0], 1.0), right))
    return found


def confidence(answer: Answer, temperature: float, unknown: float) -> float:
    """Return the probability of the first cause of `answer`."""
    powers = [math.exp(s / temperature) for s in answer.scores]
    share = min(answer.at_most, powers[0] / (sum(powers) + math.exp(unknown / temperature)))
    return score.calibrated([share])[0]


def brier(found: list[Answer], temperature: float, unknown: float) -> float:
    """Return the mean squared distance of the first answer's probability from the truth."""
    return sum((confidence(a, temperature, unknown) - a.right) ** 2 for a in found) / max(1, len(found))


def fit(found: list[Answer]) -> tuple[float, float]:
    """Return the temperature and the weight of an unknown cause with the least Brier score."""
    grid = [(t / 10, u / 4) for t in range(4, 31) for u in range(-8, 17)]
    return min(grid, key=lambda pair: brier(found, *pair))


def main() -> int:
    """Print the fit and how good it is."""
    found = answers([Path(name) for name in sys.argv[1:]], load_catalog())
    folds = [found[n::FOLDS] for n in range(FOLDS)]
    held_out = 0.0
    for number, fold in enumerate(folds):
        rest = [answer for other, answers_ in enumerate(folds) if other != number for answer in answers_]
        held_out += brier(fold, *fit(rest)) * len(fold)
    temperature, unknown = fit(found)
    print(f"{len(found)} answers, {sum(a.right for a in found)} right")
    print(f"TEMPERATURE = {temperature}\nweight of `unknown` = {unknown}")
    print(f"Brier score {brier(found, temperature, unknown):.4f}, cross-validated {held_out / max(1, len(found)):.4f}")
    print(f"as it stands {brier(found, score.TEMPERATURE, STRENGTHS['allows']):.4f}")
    print("\n| said | answers | right |\n|---|---|---|")
    for low in range(0, 100, 10):
        bucket = [a for a in found if low <= 100 * confidence(a, temperature, unknown) < low + 10]
        if bucket:
            print(
                f"| {low} to {low + 10} % | {len(bucket)} | {100 * sum(a.right for a in bucket) / len(bucket):.0f} % |"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

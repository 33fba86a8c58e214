"""Texts that fuzzing starts from: pieces of the repository's real logs."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
MOST_BYTES = 3000


@cache
def samples() -> list[bytes]:
    """Return the samples and near misses of every tenth signature."""
    found = []
    for path in sorted((ROOT / "corpus").glob("[a-z]*/[a-z]*.yaml"))[::10]:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        for kind in ("positive", "negative"):
            found += [str(sample["text"]).encode() for sample in data.get("samples", {}).get(kind, ())]
    return found


@cache
def logs() -> list[bytes]:
    """Return the ends of real logs, of failures and of successful runs."""
    paths = [*sorted((ROOT / "tests/failing").glob("*.log"))[::8], *sorted((ROOT / "tests/healthy").glob("*.log"))[::8]]
    return [path.read_bytes()[-MOST_BYTES:] for path in paths]


@cache
def texts() -> list[bytes]:
    """Return logs, samples, and mixtures as from jobs of several programs; always the same."""
    chance = random.Random(0)
    found = [*logs(), *samples()[::3]]
    for _ in range(400):
        log = chance.choice(logs()).split(b"\n")
        begin = chance.randrange(len(log))
        pieces = [*chance.sample(samples(), 3), b"\n".join(log[begin : begin + 12])]
        chance.shuffle(pieces)
        found.append(b"\n".join(pieces))
    chance.shuffle(found)
    return found

"""Texts that fuzzing starts from: what the repository knows of real logs, in small pieces."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
MOST_BYTES = 3000


@cache
def samples() -> list[bytes]:
    """The samples of every tenth signature, right ones and near misses."""
    found = []
    for path in sorted((ROOT / "corpus").glob("[a-z]*/[a-z]*.yaml"))[::10]:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        for kind in ("positive", "negative"):
            found += [str(sample["text"]).encode() for sample in data.get("samples", {}).get(kind, ())]
    return found


@cache
def logs() -> list[bytes]:
    """The ends of real logs, of failures and of runs that went well."""
    paths = [*sorted((ROOT / "tests/failing").glob("*.log"))[::8], *sorted((ROOT / "tests/healthy").glob("*.log"))[::8]]
    return [path.read_bytes()[-MOST_BYTES:] for path in paths]


def texts() -> list[bytes]:
    """Samples and logs, in an order that does not change."""
    found = [*samples(), *logs()]
    random.Random(0).shuffle(found)
    return found

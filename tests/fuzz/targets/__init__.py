"""The targets, one a module: where its inputs start from, and what is done with each."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

NAMES = (
    "lines",
    "prefixes",
    "records",
    "jsonlogs",
    "unwrap",
    "paste",
    "archives",
    "catalogs",
    "config",
    "names",
    "notebooks",
    "pickles",
    "questions",
    "redaction",
    "smi",
    "stores",
    "surveys",
    "whole",
)


class Target(NamedTuple):
    """`seeds()` gives the inputs to start from; `run(data)` must come back from any input without an exception."""

    name: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes], object]


def target(name: str) -> Target:
    """The target of this name."""
    module = import_module(f"tests.fuzz.targets.{name}")
    return Target(name, module.seeds, module.run)

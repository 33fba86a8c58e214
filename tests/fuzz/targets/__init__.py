"""The fuzz targets, one per module: initial inputs, and what is done with each input."""

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
    """`seeds()` returns initial inputs; `run(data)` must return from any input without an exception."""

    name: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes], object]


def target(name: str) -> Target:
    """Return the target of this name."""
    module = import_module(f"tests.fuzz.targets.{name}")
    return Target(name, module.seeds, module.run)

"""A fix for a message of one framework names no other framework's interface, launcher or library."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from typing import Any

import pytest

from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing, read_yaml
from logsense.catalog.load import load_catalog
from logsense.catalog.signatures import decode_samples
from logsense.pipeline import explain_text

# What belongs to one framework or library, and the words by which a message shows that it is about it as well.
OWN_WORDS = {
    "tensorflow": (r"\btf\.\w|\bTF_[A-Z]\w+", ("tensorflow", "keras", "tflib")),
    "pytorch": (r"\btorch\.\w|\btorchrun\b|\bTORCH_\w+|\bPYTORCH_\w+", ("torch",)),
    "jax": (r"\bjax\.\w|\bXLA_PYTHON_CLIENT\w+", ("jax",)),
    "mxnet": (r"\bmx\.\w|\bMXNET_\w+", ("mxnet",)),
    "paddle": (r"\bpaddle\.\w", ("paddle",)),
}
PYTORCHS_OWN = {"pytorch", "c10d", "torchelastic"}  # of its many programs, those that hold for all


def _read(path: str) -> Any:
    return read_yaml(os.path.join(built_in("corpus"), path))[0]


def _samples() -> dict[str, list[tuple[str, str]]]:
    """The first sample of each failure, by the framework of its program."""
    paths = [path for path, _ in listing(built_in("corpus"))]
    programs = {os.path.dirname(path): _read(path) for path in paths if path.endswith("_program.yaml")}
    samples = defaultdict(list)
    for path in paths:
        program = os.path.dirname(path)
        own = programs.get(program, {}).get("framework")
        if own and (own != "pytorch" or program in PYTORCHS_OWN) and not path.endswith("_program.yaml"):
            message = _read(path)
            if message["kind"] in ("failure", "consequence"):
                samples[own].append((message["id"], decode_samples(message, Problems())[0][0].text))
    return samples


SAMPLES = _samples()


@pytest.mark.parametrize("own", sorted(SAMPLES))
def test_no_fix_names_the_interface_of_another_framework(own: str) -> None:
    wrong = []
    for id_, text in SAMPLES[own]:
        others = {name: words for name, words in OWN_WORDS.items() if name != own}
        patterns = [pattern for pattern, about in others.values() if not any(word in text.lower() for word in about)]
        for diagnosis in explain_text(text.encode(), load_catalog()).diagnoses[:1]:
            shown = [f"{fix.do} {fix.run}" for fix in diagnosis.fixes]
            wrong += [
                (id_, diagnosis.cause, one) for one in shown if any(re.search(pattern, one) for pattern in patterns)
            ]
    assert wrong == []

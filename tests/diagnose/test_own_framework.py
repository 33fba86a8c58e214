"""A fix for a message of one framework names no other framework's interface, launcher or library."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from functools import cache

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text
from tests.corpus_files import messages, programs, samples_of

# What belongs to one framework or library, and the words by which a message shows that it is about it as well.
OWN_WORDS = {
    "tensorflow": (r"\btf\.\w|\bTF_[A-Z]\w+", ("tensorflow", "keras", "tflib")),
    "pytorch": (r"\btorch\.\w|\btorchrun\b|\bTORCH_\w+|\bPYTORCH_\w+", ("torch",)),
    "jax": (r"\bjax\.\w|\bXLA_PYTHON_CLIENT\w+", ("jax",)),
    "mxnet": (r"\bmx\.\w|\bMXNET_\w+", ("mxnet",)),
    "paddle": (r"\bpaddle\.\w", ("paddle",)),
}
PYTORCHS_OWN = {"pytorch", "c10d", "torchelastic"}  # of its many programs, those that hold for all


@cache
def _samples() -> dict[str, list[tuple[str, str]]]:
    """The first sample of each failure, by the framework of its program."""
    frameworks = {program: data.get("framework") for program, data in programs().items()}
    samples = defaultdict(list)
    for path, message in messages().items():
        program = os.path.dirname(path)
        own = frameworks.get(program)
        if own and (own != "pytorch" or program in PYTORCHS_OWN) and message["kind"] in ("failure", "consequence"):
            samples[own].append((message["id"], samples_of(message)[0].text))
    return samples


FRAMEWORKS = ("jax", "onnxruntime", "paddle", "pytorch", "tensorflow", "theano", "tinygrad")


def test_each_framework_has_samples() -> None:
    assert sorted(_samples()) == sorted(FRAMEWORKS)


@pytest.mark.parametrize("own", FRAMEWORKS)
def test_no_fix_names_the_interface_of_another_framework(own: str) -> None:
    wrong = []
    for id_, text in _samples()[own]:
        others = {name: words for name, words in OWN_WORDS.items() if name != own}
        patterns = [pattern for pattern, about in others.values() if not any(word in text.lower() for word in about)]
        for diagnosis in explain_text(text.encode(), load_catalog()).diagnoses[:1]:
            shown = [f"{fix.do} {fix.run}" for fix in diagnosis.fixes]
            wrong += [
                (id_, diagnosis.cause, one) for one in shown if any(re.search(pattern, one) for pattern in patterns)
            ]
    assert wrong == []

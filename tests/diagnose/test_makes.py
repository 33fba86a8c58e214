"""What nobody has described is not likened to messages about another make of accelerator."""

from __future__ import annotations

import pytest

from logsense.diagnose.makes import is_of_another, makes_in, makes_of
from logsense.model.catalog import Catalog
from logsense.pipeline import explain_text
from tests.conftest import Write
from tests.demo import FILES, signature

MAKE = """
system: {name}
title: Devices of {name}
kind: device
source: https://example.org/{name}
signs:
  - holds: [{name}!]
    pattern: '{name}!'
names:
  - holds: [{name}]
    pattern: '\\b{name}\\b'
"""
MARS = signature("mars", "failure", "the queue of mars is full, no command was taken")


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("the qeue of mars is full, no command was taken", True),
        ("the qeue of it is full, no command was taken", True),
        ("the queue of venus is full, no command was taken", False),
        ("the queue of venus or mars is full, no command was taken", True),
    ],
)
def test_a_line_is_not_likened_to_a_message_about_another_make(line: str, near: bool, write_catalog: Write) -> None:
    makes = {f"rules/_systems/{name}.yaml": MAKE.format(name=name) for name in ("mars", "venus")}
    catalog = write_catalog({**FILES, **makes, "corpus/demo/mars.yaml": MARS})
    report = explain_text(f"Error: {line}\n".encode(), catalog)
    assert [one.signature for one in report.near] == (["demo.mars"] if near else [])


@pytest.mark.parametrize(
    ("text", "make"),
    [
        ("ggml_cuda: no pool", {"nvidia"}),
        ("hipErrorUnknown", {"rocm"}),
        ("XPU call failed", {"xpu"}),
        ("sycl::exception", {"xpu"}),
        ("CANN and NPU failed", {"ascend"}),
        ("HIP, once CUDA, failed", {"rocm", "nvidia"}),
        ("the hip joint of a barracuda", set()),
    ],
)
def test_makes_are_named(text: str, make: set[str], built_in_catalog: Catalog) -> None:
    assert makes_in(text, built_in_catalog) == make


def test_a_known_message_is_of_the_make_that_its_program_is_for(built_in_catalog: Catalog) -> None:
    known = {built_in_catalog.signature(n).id: n for n in range(len(built_in_catalog.ids))}
    sycl, cuda = (
        makes_of(built_in_catalog.signature(known[name]), built_in_catalog)
        for name in ("sycl.no-device", "nvml.init-failed")
    )
    assert (sycl, cuda) == (frozenset({"xpu"}), frozenset({"nvidia"}))
    assert is_of_another(sycl, cuda)
    assert not is_of_another(sycl, frozenset())


def test_a_guess_by_words_is_not_told_in_words_for_another_make(built_in_catalog: Catalog) -> None:
    log = "{} runtime error: kernel could not be compiled for device\n"
    for make in ("XPU", "HIP"):
        told = explain_text(log.format(make).encode(), built_in_catalog).diagnoses
        assert not any("CUDA" in one.title for one in told)

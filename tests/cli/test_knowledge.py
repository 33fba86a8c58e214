"""`logsense causes` and `logsense signatures`: list, search, read."""

from __future__ import annotations

import json

import pytest

from logsense.cli.main import main
from tests.conftest import Write
from tests.demo import FILES

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _demo(write_catalog: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**FILES, "rules/_causes.yaml": FILES["rules/_causes.yaml"] + "other: {unknown: no rule tells it}\n"}
    monkeypatch.setenv("COLUMNS", "100")
    write_catalog(files)


def test_list(capsys: Out) -> None:
    assert main(["causes"]) == 0
    assert capsys.readouterr().out == (
        "hardware.lost                           gone\n\n"
        "memory.capacity                         too little\n\n"
        "other.unknown                           no rule tells it\n"
    )
    assert main(["signatures", "DEVICE"]) == 2
    assert main(["signatures", "lost", "failure"]) == 0
    assert capsys.readouterr().out == "demo.lost                               demo says lost\n"


@pytest.mark.parametrize(
    ("words", "cause"),
    [("memory is full", "memory.capacity"), ("demo says lost", "hardware.lost"), ("out of memory", "memory.capacity")],
)
def test_a_cause_is_found_by_its_title_or_a_message_or_the_longer_word(words: str, cause: str, capsys: Out) -> None:
    assert main(["causes", *words.split()]) == 0
    assert capsys.readouterr().out.split()[0] == cause


def test_narrow(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["causes", "gone"]) == 0
    assert capsys.readouterr().out == "hardware.lost\n    gone\n"


def test_a_cause(capsys: Out) -> None:
    assert main(["causes", "memory.capacity"]) == 0
    assert (
        capsys.readouterr().out
        == """\
Memory is full (memory.capacity)

  too little

Why it happens
  • There were ‹mem.free› left.

How to tell
  • Look at the memory.
      demo --memory-report
  • For it: ‹mem.asked› was asked for
  • For it: ‹mem.used› of ‹mem.total› was used
  • Against it: the driver ‹driver.version› knows only CUDA ‹driver.cuda›

Fixes
  • Ask for less than ‹anchor.asked›.
      demo --memory ‹mem.free›
  • Only for another framework.

Messages
  • demo says full (demo.full)

References
    https://example.org/memory
"""
    )
    assert main(["causes", "other.unknown"]) == 0
    assert "This cause has no rule yet." in capsys.readouterr().out


def test_a_signature(capsys: Out) -> None:
    assert main(["signatures", "demo.full"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("demo says full (demo.full)\n\n  Failure: something failed")
    assert "Why it happens\n  • too little (memory.capacity)\n" in out
    assert "Fixes\n  • Ask for less than ‹anchor.asked›.\n" in out
    assert main(["signatures", "demo.chatter"]) == 0
    assert "it is only chatter" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["causes"], ["causes", "memory.capacity"], ["signatures", "demo.full"]])
def test_other_formats(arguments: list[str], capsys: Out) -> None:
    assert main([*arguments, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert main([*arguments, "--format", "markdown"]) == 0
    assert "`" in capsys.readouterr().out
    assert main([*arguments, "--format", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


def test_not_known(capsys: Out) -> None:
    assert main(["causes", "memory.capazity"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "logsense: nothing matches 'memory.capazity'; did you mean memory.capacity?\n")
    assert main(["causes", "xyzzy"]) == 2
    assert capsys.readouterr().err == "logsense: nothing matches 'xyzzy'\n"

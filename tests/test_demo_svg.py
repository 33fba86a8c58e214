"""The terminal that README shows is what logsense says today."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.scripts import ROOT, script


def test_it_is_up_to_date() -> None:
    program = script("demo_svg")
    shown = (ROOT / "docs" / "demo.svg").read_text("utf-8")
    said = program.words(shown)
    assert "✗ Rank 1: data/shard-00006.pt doesn't exist" in said
    assert said == program.words(program.picture(program.session())), "run python scripts/screens.py"


def test_it_is_small_and_loads_nothing() -> None:
    shown = (ROOT / "docs" / "demo.svg").read_text("utf-8")
    assert len(shown) < 40_000
    assert shown.count("http") == 1, "only the name of SVG's own namespace"
    assert ElementTree.fromstring(shown).tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme: dark" in shown

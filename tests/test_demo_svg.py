"""The terminal that README shows is what logsense says today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_svg", ROOT / "scripts" / "demo_svg.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_up_to_date() -> None:
    script = _script()
    shown = (ROOT / "docs" / "demo.svg").read_text("utf-8")
    said = script.words(shown)
    assert "✗ data/shard-00006.pt does not exist" in said
    assert said == script.words(script.picture(script.session())), "run python scripts/demo_svg.py"


def test_it_is_small_and_loads_nothing() -> None:
    shown = (ROOT / "docs" / "demo.svg").read_text("utf-8")
    assert len(shown) < 40_000
    assert shown.count("http") == 1, "only the name of SVG's own namespace"
    assert ElementTree.fromstring(shown).tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme: dark" in shown

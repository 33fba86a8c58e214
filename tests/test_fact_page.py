"""docs/facts.md is what the script writes, and leaves out only tables that hold the project's own decisions."""

from __future__ import annotations

from tests import scripts
from tests.scripts import ROOT

script = scripts.script("fact_page")
# Decisions of this project, words, and how rules are written: nothing outside says whether they are right.
OWN = {
    "alarm-words", "cause-places", "collectives", "outcome-acts", "outcome-weights", "outcome-words",
    "project-module-parts", "project-modules", "redaction", "redaction-keeps", "setting-commands", "setting-openings",
    "style",
}  # fmt: skip


def test_the_page_is_up_to_date() -> None:
    written = (ROOT / "docs" / "facts.md").read_text("utf-8")
    assert written == script.page(ROOT / "rules" / "_tables"), "python scripts/fact_page.py > docs/facts.md"


def test_every_table_of_facts_is_in_one_family() -> None:
    listed = [name for family in script.FAMILIES for name in family.tables]
    assert len(listed) == len(set(listed))
    assert {path.stem for path in (ROOT / "rules" / "_tables").glob("*.yaml")} - OWN == set(listed)

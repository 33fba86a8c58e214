"""A team's own system is a file, and what is wrong in it harms nothing."""

from __future__ import annotations

from pathlib import Path

from logsense.advise.commands import for_system
from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text

SYSTEM = """\
system: hive
title: The hive
certain: true
source: https://example.org/hive
signs:
  - {holds: [/hive/], pattern: '/hive/\\w'}
  - {holds: [aaaa], pattern: '(?:a|aa)+$'}
commands:
  lacks: [nvidia-smi]
  rewrites: [{match: '(?:b|bb)+$', put: ""}]
  begins: [{match: '.*', put: "hive run "}]
"""
RAISED = "  File \"/hive/train.py\", line 3, in <module>\nModuleNotFoundError: No module named 'einops'\n"


def test_a_system_of_a_teams_own(tmp_path: Path) -> None:
    (tmp_path / "_systems").mkdir()
    (tmp_path / "_systems" / "hive.yaml").write_text(SYSTEM)
    catalog = load_catalog(rules=str(tmp_path))
    assert not catalog.problems
    log = "a" * 3000 + "!\nTraceback (most recent call last):\n" + RAISED  # the second sign would take for ever
    report = explain_text(log.encode(), catalog)
    assert report.facts["log.system"].value == "hive"
    assert any((fix.run or "").startswith("hive run python -m pip install") for fix in report.diagnoses[0].fixes)
    hive = catalog.systems()["hive"]
    assert for_system("nvidia-smi -L", hive) is None
    assert for_system("echo " + "b" * 3000 + "!", hive) is None  # what takes too long is not shown

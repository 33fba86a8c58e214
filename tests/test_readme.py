"""What README promises: its report is what its log gives, and its commands are there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_report_is_real() -> None:
    shown = re.search(r"^✗ .*?(?=\n```$)", README, re.MULTILINE | re.DOTALL)
    assert shown
    name = re.search(r"logsense (examples/\S+)", README)
    assert name
    made = subprocess.run(
        [sys.executable, "-m", "logsense", "--color", "never", name[1]],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "88", "PYTHONIOENCODING": "utf-8"},
    ).stdout
    # The percentage moves with the catalog; the answer, its proof and its first advice must not.
    for text in (README[shown.start() :], made):
        assert text.startswith("✗ Rank 1: data/shard-00006.pt doesn't exist ")
        assert "examples/torchrun-missing-file.log:28 · rank 1" in text
        assert "1. Check whether data/shard-00006.pt exists" in text


def test_the_commands_do_their_own_set_up() -> None:
    commands = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
    assert [command.rsplit("/", 1)[-1].split()[0] for command in commands][1] == "pytest"
    assert len(commands) == 2
    assert all("&& .venv/bin/pip install -q " in command for command in commands)


def test_links_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"

"""A page for every cause and every message, all with one outline, all links good."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from logsense.cli.main import main

pytestmark = pytest.mark.whole

OUTLINE = ["What you see", "Why it happens", "How to tell", "Fixes", "Messages", "References"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text of every page by its path."""
    folder = tmp_path_factory.mktemp("pages")
    assert main(["rules", "pages", "--output", str(folder)]) == 0
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in Path(folder).rglob("*.md")}


def outline(text: str) -> list[str]:
    outside = re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall("^## (.*)", outside, re.MULTILINE)


def test_every_page_has_the_same_outline(pages: dict[str, str]) -> None:
    assert outline(pages["causes/gpu-memory.capacity.md"]) == OUTLINE
    for name, text in pages.items():
        if name == "index.md" or name.startswith("causes/benign."):
            continue
        headings = outline(text)
        assert headings == [one for one in OUTLINE if one in headings], name
        assert "References" in headings, name
        assert "What you see" in headings or name.startswith("causes/"), name


def test_all_links_lead_somewhere(pages: dict[str, str]) -> None:
    links = {
        (name, os.path.normpath(os.path.join(os.path.dirname(name), link)))
        for name, text in pages.items()
        for link in re.findall(r"\]\(([^()\s]+\.md)\)", text)
    }
    assert len({to for _, to in links}) == len(pages) - 1
    assert [link for link in links if link[1] not in pages] == []

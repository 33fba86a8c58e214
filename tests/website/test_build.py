"""The generator takes the site's settings and pages, and nothing on them leads nowhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from website import commands, pages
from website.build import ASSETS, SiteError, generate

pytest.importorskip("zensical")

pytestmark = pytest.mark.website


def _sources(work: Path) -> Path:
    """All but the pages of causes and messages, which take minutes."""
    docs = work / "docs"
    pages.write(docs)
    commands.write(docs)
    shutil.copytree(ASSETS, docs / "assets", dirs_exist_ok=True)
    shutil.move(docs / "assets" / "recognize.md", docs / "recognize.md")
    (docs / "assets" / "knowledge.js").write_text("")
    for kind in ("causes", "messages"):
        (docs / kind).mkdir()
        (docs / kind / "index.md").write_text(f"# {kind}\n")
    return docs


@pytest.mark.slow
def test_pages_are_made_and_links_hold(tmp_path: Path) -> None:
    docs = _sources(tmp_path / "work")
    generate(tmp_path / "work", tmp_path / "site")
    made = {path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*.html")}
    assert made == {path.relative_to(docs).with_suffix(".html").as_posix() for path in docs.rglob("*.md")} | {
        "404.html"
    }
    home = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "Content-Security-Policy" in home
    assert "unpkg" not in home
    assert 'src="assets/worker.js"' in home


@pytest.mark.slow
def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    docs = _sources(tmp_path / "work")
    (docs / "start.md").write_text("# Start\n\n[gone](gone.md)\n")
    with pytest.raises(SiteError, match=r"gone\.md|page does not exist"):
        generate(tmp_path / "work", tmp_path / "site")

"""Builds the site: pages of docs/, of the commands, of the catalog, and the page that recognizes messages."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from logsense.catalog.load import load_catalog
from website import commands, finish, knowledge_pages, pages, recognizer
from website.likely import causes_of_all
from website.message_frequency import samples

ASSETS = Path(__file__).parent / "assets"
SETTINGS = Path(__file__).parent / "settings.toml"


class SiteError(Exception):
    """The site can't be built, or has an error; the message describes it."""


def build(site: Path) -> int:
    """Build the site into the folder `site`, replacing it, and return the number of pages. Raises SiteError."""
    work = site.with_name(f"{site.name}-sources")
    for folder in (work, site):
        shutil.rmtree(folder, ignore_errors=True)
    write_sources(work)
    generate(work, site)
    shutil.rmtree(work)
    return sum(1 for _ in site.rglob("*.html"))


def generate(work: Path, site: Path) -> None:
    """Generate the folder `site` from the sources in `work`. Raises SiteError, also for broken links."""
    (work / "zensical.toml").write_text(
        f"[project]\nnav = {_toml(navigation())}\n{SETTINGS.read_text('utf-8')}", "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"], cwd=work, capture_output=True, text=True, check=False
    )
    if done.returncode:
        output = (done.stdout + done.stderr).strip()
        raise SiteError("needs pip install -e '.[docs]'" if "No module named zensical" in output else output)
    (work / "site").rename(site)
    problems = finish.finish(site)
    if problems:
        raise SiteError("\n".join(problems))


def write_sources(work: Path) -> None:
    """Write the generator's input into the folder `work`: Markdown, scripts, styles, data."""
    catalog = load_catalog()
    docs = work / "docs"
    pages.write(docs)
    commands.write(docs)
    own: dict[str, list[str]] = {}
    for one in samples():
        if not one.near:
            own.setdefault(one.id, []).append(one.text)
    causes = causes_of_all(catalog, own)
    knowledge_pages.write(docs, catalog, causes)
    shutil.copytree(ASSETS, docs / "assets", dirs_exist_ok=True)
    shutil.move(docs / "assets" / "recognize.md", docs / "recognize.md")
    (docs / "assets" / "knowledge.js").write_text(recognizer.knowledge(catalog, causes).script, "utf-8")


def navigation() -> list[object]:
    """Return the site's menu: the groups of docs/index.md, with the generated pages in between."""
    generated: dict[str, list[object]] = {
        "Commands": [{"All commands": "commands/index.md"}],
        "What it knows": [{"Causes": "causes/index.md"}, {"Messages": "messages/index.md"}],
    }
    groups: list[object] = [{"Home": "index.md"}, {"Paste an error": "recognize.md"}]
    for group in pages.contents():
        entries: list[object] = list(generated.pop(group.title, []))
        entries += [{title: pages.site_path(page)} for title, page in group.pages if page != pages.HOME]
        groups.append({group.title: entries})
    assert not generated, "docs/index.md has a heading for all generated pages"
    return groups


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)

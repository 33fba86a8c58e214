"""Copies the repository's own pages to the site, in order, with links adapted."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CONTENTS = "docs/index.md"
HOME = "README.md"
_LINK = re.compile(r"(\]\(|<img src=\"|srcset=\")(?!\w+:|#|//)([^)\s#\"]+)(#[^)\s\"]*)?")
_ENTRY = re.compile(r"- \[(?P<title>[^\]]+)\]\((?P<target>[^)#]+)\)")
_FENCED = re.compile(r"^( *)(`{3,})[^\n]*\n.*?^\1\2$", re.MULTILINE | re.DOTALL)
# In tables, GitHub requires escaped pipes in code; the site's generator does not.
_CELL_CODE = re.compile(r"(?<=`)[^`\n]*\\\|[^`\n]*(?=`)")
# Follows the first paragraph of the home page.
_BUTTONS = (
    "[Paste an error](recognize.md){ .md-button .md-button--primary } [Start in one minute](start.md){ .md-button }"
)
_LANGUAGES = {".yml": "yaml", ".yaml": "yaml", ".sh": "sh", ".sbatch": "sh", ".service": "ini", ".toml": "toml"}
# Folders that are other pages on the site.
_OTHER_PAGES = {"corpus": "messages/index.md", "rules": "causes/index.md"}


class Group(NamedTuple):
    """A heading of the contents, and the title and repository path of each of its pages."""

    title: str
    pages: tuple[tuple[str, str], ...]


def contents() -> tuple[Group, ...]:
    """Return the groups of docs/index.md, which become the site's navigation."""
    text = (ROOT / CONTENTS).read_text("utf-8")
    groups = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        entries = tuple((found["title"], _from(CONTENTS, found["target"])) for found in _ENTRY.finditer(body))
        groups.append(Group(heading.strip(), entries))
    return tuple(groups)


def site_path(page: str) -> str:
    """Return the path of the Markdown file on the site for the repository's file `page`."""
    if page in _OTHER_PAGES:
        return _OTHER_PAGES[page]
    if page in (HOME, CONTENTS):
        return "index.md" if page == HOME else "contents.md"
    folder, name = posixpath.split(page)
    if name == "README.md":
        return f"{folder.lower()}.md"
    if name.endswith(".md"):
        return name.lower()
    if name.endswith((".svg", ".png")):
        return f"assets/{name}"
    return f"files/{page}.md"


def write(folder: Path) -> list[str]:
    """Write the pages in the contents, and the files that they show, to `folder`; return their paths."""
    waiting = [HOME, CONTENTS, *(page for group in contents() for _, page in group.pages)]
    written: dict[str, None] = {}
    while waiting:
        page = waiting.pop()
        if page in written or page in _OTHER_PAGES:
            continue
        written[page] = None
        path = folder / site_path(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        if page.endswith((".svg", ".png")):
            path.write_bytes((ROOT / page).read_bytes())
            continue
        text, linked = adapted(page)
        waiting += linked
        path.write_text(text, "utf-8")
    return list(written)


def adapted(page: str) -> tuple[str, list[str]]:
    """Return the text of `page` for the site, and the repository's files that it links to."""
    text = (ROOT / page).read_text("utf-8")
    if not page.endswith(".md"):
        language = _LANGUAGES.get(posixpath.splitext(page)[1], "text")
        return f"# {posixpath.basename(page)}\n\n`{page}`\n\n````{language}\n{text.rstrip()}\n````\n", []
    linked: list[str] = []

    def change(found: re.Match[str]) -> str:
        target = _from(page, found[2])
        if target not in _OTHER_PAGES:
            linked.append(target)
        here = posixpath.dirname(site_path(page))
        return f"{found[1]}{posixpath.relpath(site_path(target), here or '.')}{found[3] or ''}"

    def prose(part: str) -> str:
        part = re.sub(
            r"^\|.*$", lambda row: _CELL_CODE.sub(lambda c: c[0].replace("\\|", "|"), row[0]), part, flags=re.MULTILINE
        )
        return _LINK.sub(change, part)

    parts, at = [], 0
    for block in _FENCED.finditer(text):
        parts += [prose(text[at : block.start()]), block[0]]
        at = block.end()
    whole = "".join([*parts, prose(text[at:])])
    return (whole.replace("\n\n<img", f"\n\n{_BUTTONS}\n\n<img", 1) if page == HOME else whole), linked


def _from(page: str, target: str) -> str:
    """Return the repository path that `target` means on `page`. Raises FileNotFoundError if it does not exist."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if not os.path.exists(ROOT / path):
        raise FileNotFoundError(f"{page}: there is no {target}")
    if (ROOT / path).is_dir() and path not in _OTHER_PAGES:
        above = [path, *map(str, Path(path).parents)]
        return next(posixpath.normpath(f"{one}/{HOME}") for one in above if (ROOT / one / HOME).exists())
    return path

"""The site's pages: which there are, what the commands' pages say, and what is done to the generator's."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from logsense.cli.commands import COMMANDS
from website import commands, finish, pages
from website.build import navigation

# Pages that come from elsewhere: website/assets and the catalog.
MADE = {"recognize.md", "causes/index.md", "messages/index.md"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's pages and the commands', as the generator reads them."""
    folder = tmp_path_factory.mktemp("docs")
    pages.write(folder)
    commands.write(folder)
    return folder


def test_the_contents_list_every_page() -> None:
    listed = [page for group in pages.contents() for _, page in group.pages]
    assert len(listed) == len(set(listed)), "no page stands twice"
    there = {f"docs/{path.name}" for path in (pages.ROOT / "docs").glob("*.md")} - {pages.CONTENTS}
    assert there <= set(listed), "docs/index.md leads to every page of docs/"


def test_the_menu_leads_to_what_is_written(written: Path) -> None:
    paths = re.findall(r"'([\w./-]+\.md)'", str(navigation()))
    assert len(paths) > 20
    assert [path for path in paths if not (written / path).exists() and path not in MADE] == []


def test_links_are_the_sites(written: Path) -> None:
    links = 0
    for page in written.rglob("*.md"):
        text = re.sub(r"^( *)(`{3,}).*?^\1\2", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text):
            links += 1
            path = posixpath.normpath(posixpath.join(page.parent.relative_to(written).as_posix(), target))
            assert (written / path).exists() or path in MADE, f"{page.name}: {target}"
    assert links > 100


def test_what_a_page_shows_is_not_changed() -> None:
    text, linked = pages.adapted("docs/automation.md")
    assert "](files/examples/slurm/train.sbatch.md)" in text
    assert "examples/slurm/train.sbatch" in linked
    shown, _ = pages.adapted("examples/slurm/train.sbatch")
    assert (pages.ROOT / "examples/slurm/train.sbatch").read_text("utf-8").rstrip() in shown


def test_every_command_has_a_page_with_its_options(written: Path) -> None:
    assert set(commands.ADDITIONS) == {command.path for command in COMMANDS}, (
        "website/commands.py shows examples of each command"
    )
    for command in COMMANDS:
        text = (written / "commands" / commands.page_name(command)).read_text("utf-8")
        for option in command.options:
            assert all(f"`{flag}" in text for flag in option.flags), f"{command.path}: {option.name}"
        assert "## Examples" in text


def test_the_policy_names_the_scripts_of_a_page() -> None:
    page = '<head></head><script>one()</script><script type="application/json">{}</script><script src="a.js"></script>'
    policy = finish.policy(page)
    # printf 'one()' | openssl dgst -sha256 -binary | base64
    assert re.findall("'sha256-[^']+'", policy) == ["'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4='"]
    assert "'unsafe-eval'" not in policy
    assert "default-src 'none'" in policy


def test_what_is_wrong_with_a_site_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<html><head></head><script src="https://unpkg.com/iframe-worker/shim"></script>'
        '<script src="https://example.org/x.js"></script><a href="gone.html">x</a><a href="b.html#no">x</a>'
        '<a href="b.html#yes">x</a><a href="https://example.org">x</a>'
    )
    (tmp_path / "b.html").write_text('<html><head></head><p id="yes">')
    problems = finish.finish(tmp_path)
    assert [problem.split(": ", 1)[1] for problem in problems] == [
        '<script src="https://example.org/x.js">', "assets/worker.js", "gone.html", "b.html#no",
    ]  # fmt: skip
    assert 'content="default-src' in (tmp_path / "b.html").read_text()

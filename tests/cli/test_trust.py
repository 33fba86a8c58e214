"""Knowledge of a project: it counts where the user trusts it, as it was then, and replaces nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from logsense.catalog.files import Folder, TooLargeError, listing
from logsense.catalog.load import load_catalog
from logsense.cli.main import main

SIGNATURE = """\
id: {id}
title: The frob is full
match: "FrobError: frob is full of {{what:word}}"
printed_by: https://wiki.example.com
"""
RULE = """\
cause: {cause}
title: The frob is full.
arguments:
  - when: {{found: team.frob}}
    strength: states
    says: The frob says so.
explain: A frob holds 12 MiB.
fixes:
  - {{do: Empty the frob., run: frob --empty, risk: none}}
references: [https://wiki.example.com]
"""
TABLE = """\
title: What is hidden
dated: 2026-11-28
source: https://wiki.example.com
columns: {kind: text}
rows: []
"""
TOKEN = "hf_" + "a1B2" * 8


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "project"
    for name, text in {
        "pyproject.toml": '[tool.logsense]\nrules = "rules"\ncorpus = "corpus"\n',
        "train.log": f"FrobError: frob is full of x\nFrobError: the token is {TOKEN}\n",
        "corpus/team/frob.yaml": SIGNATURE.format(id="team.frob"),
        "rules/team/frob.yaml": RULE.format(cause="team.frob"),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return folder


def test_a_project_counts_once_it_is_trusted_and_until_it_changes(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train.log"]) == 0
    before = capsys.readouterr()
    assert "12 MiB" not in before.out
    assert f"rules and corpus (not trusted; review it, then run logsense trust {project})" in before.err

    assert main(["trust", "."]) == 0
    capsys.readouterr()
    assert main(["train.log", "--verbose"]) == 0
    trusted = capsys.readouterr()
    for sentence in ("The frob is full (from ./rules)", "12 MiB (from ./rules).", "Empty the frob (from ./rules)."):
        assert sentence in trusted.out
    assert main(["train.log", "--format", "json"]) == 0
    assert "says so (from ./rules)." in capsys.readouterr().out
    assert not trusted.err

    with (project / "rules/team/frob.yaml").open("a") as file:
        file.write("# nothing that matters\n")
    assert main(["train.log"]) == 0
    changed = capsys.readouterr()
    assert changed.out == before.out
    assert "changed since you trusted it" in changed.err
    assert main(["trust"]) == 0
    assert "changed since, not used" in capsys.readouterr().out
    assert main(["trust", "--remove", "."]) == 0
    assert main(["trust"]) == 0
    assert "no project is trusted" in capsys.readouterr().err


def test_quiet_suppresses_the_note(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quiet", "train.log"])
    assert not capsys.readouterr().err


def test_there_is_nothing_to_trust(tmp_path: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").write_text("[tool.logsense]\ncolor = 'never'\n")
    assert main(["trust", str(project)]) == 2
    assert "nothing to trust" in capsys.readouterr().err
    assert main(["trust", "--remove", str(tmp_path)]) == 2
    assert "is not trusted" in capsys.readouterr().err


def test_a_project_replaces_nothing(tmp_path: Path) -> None:
    built_in = load_catalog()
    cause, known = next(filter(built_in.rule, built_in.causes)), built_in.ids[0]
    files = {
        "rules/x/cause.yaml": RULE.format(cause=cause),
        "rules/_tables/redaction.yaml": TABLE,
        "rules/_tables/redaction-own.yaml": TABLE,
        "rules/_tables/variables.yaml": TABLE,
        "corpus/x/known.yaml": SIGNATURE.format(id=known),
        "corpus/x/renaming.yaml": SIGNATURE.format(id="x.renaming") + f"was: {known}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    trusted = [Folder(kind, str(tmp_path / kind), f"./{kind}") for kind in ("corpus", "rules")]
    catalog = load_catalog(trusted=trusted)
    for name in ("redaction", "redaction-own", "variables"):
        assert catalog.table(name) == built_in.table(name)
    assert catalog.rule(cause) == built_in.rule(cause)
    assert catalog.renamed == built_in.renamed
    assert set(catalog.ids) - set(built_in.ids) == {"x.renaming"}
    refused = [problem.sentence for problem in catalog.problems]
    assert len([one for one in refused if "a project's file replaces nothing" in one]) == 3
    assert len([one for one in refused if "decides what is hidden" in one]) == 2


def test_a_users_own_tables_add_to_the_redaction_and_replace_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "_tables").mkdir()
    for name in ("redaction", "redaction-keeps", "redaction-own"):
        (tmp_path / "_tables" / f"{name}.yaml").write_text(TABLE)
    catalog = load_catalog(rules=str(tmp_path))
    for name in ("redaction", "redaction-keeps"):
        assert catalog.table(name) == load_catalog().table(name)
    assert catalog.table("redaction-own") is not None


def test_links_in_a_ring_and_what_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.yaml").write_text("x: 1\n")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "nowhere.yaml").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe.yaml")
    assert [name for name, _ in listing(str(tmp_path))] == ["a/one.yaml"]


def test_a_huge_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").touch()
    monkeypatch.setattr("logsense.catalog.files.MOST_ENTRIES", 3)
    with pytest.raises(TooLargeError, match="holds more than 3 files"):
        list(listing(str(tmp_path)))

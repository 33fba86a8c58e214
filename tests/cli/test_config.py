"""Settings files."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.cli.config import ConfigError, kept, user_file


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "project" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project" / "deep")


def write(tmp_path: Path, user: str = "", project: str = "") -> None:
    (tmp_path / "config" / "logsense").mkdir(parents=True, exist_ok=True)
    (tmp_path / "config" / "logsense" / "config.toml").write_text(user)
    (tmp_path / "project" / "pyproject.toml").write_text(project)


def test_none() -> None:
    assert kept() == {}


def test_the_project_wins_over_the_user(tmp_path: Path) -> None:
    write(tmp_path, 'format = "json"\nverbose = true\n', '[tool.logsense]\nformat = "markdown"\nexit-code = true\n')
    assert kept() == {"format": "markdown", "verbose": True, "exit_code": True}


def test_folders_are_relative_to_the_file(tmp_path: Path) -> None:
    write(tmp_path, project='[tool.logsense]\nrules = "my/rules"\ncorpus = "/team/corpus"\n')
    assert kept() == {"rules": str(tmp_path / "project" / "my/rules"), "corpus": "/team/corpus"}


def test_other_projects_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, project="this is [no toml")
    assert kept() == {}
    write(tmp_path, project="[tool.other]\nx = 'tool.logsense'\n")
    assert kept() == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.logsense]\ncolour = 'never'\n", "there is no setting 'colour'"),
        ("[tool.logsense]\noutput = 'x'\n", "there is no setting 'output'"),
        ("[tool.logsense]\nquiet = 'yes'\n", "quiet must be true or false"),
        ("[tool.logsense]\ncolor = 'sometimes'\n", "color must be one of auto, always, never"),
        ("[tool.logsense]\nrules = 3\n", "rules must be a text"),
        ("[tool.logsense\n", "can't be read"),
        ("# tool.logsense \xff", "can't be read"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(text: str, says: str, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "project" / "pyproject.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError) as error:
        kept()
    assert str(error.value).startswith(str(tmp_path / "project" / "pyproject.toml"))
    assert says in str(error.value)


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "~")
    assert user_file() is None


def test_the_current_folder_is_gone(tmp_path: Path) -> None:
    (tmp_path / "project" / "deep").rmdir()
    assert kept() == {}

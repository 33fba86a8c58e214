"""Settings files."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.cli.settings import stored_settings, user_file
from logsense.util.errors import InputError


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
    assert stored_settings() == {}


def test_the_project_wins_over_the_user(tmp_path: Path) -> None:
    write(tmp_path, 'format = "json"\nexit-code = true\n', '[tool.logsense]\nformat = "markdown"\nverbose = true\n')
    assert stored_settings() == {"format": "markdown", "verbose": True, "exit_code": True}


def test_folders_are_relative_to_the_file(tmp_path: Path) -> None:
    write(tmp_path, 'rules = "my/rules"\ncorpus = "/team/corpus"\n')
    assert stored_settings() == {"rules": str(tmp_path / "config" / "logsense" / "my/rules"), "corpus": "/team/corpus"}


def test_a_project_sets_looks_only(tmp_path: Path) -> None:
    write(tmp_path, project='[tool.logsense]\nredact = false\nnotify = "x://"\ncolor = "never"\nrules = "r"\n')
    found = stored_settings()
    ignored = str(found.pop("ignored"))
    assert found == {"color": "never", "trusted": ()}
    assert "redact, notify (a project sets format, color, pager, quiet and verbose only)" in ignored
    assert "rules (not trusted" in ignored
    assert str(tmp_path / "project" / "pyproject.toml") in ignored


def test_other_projects_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, project="this is [no toml")
    assert stored_settings() == {}
    write(tmp_path, project="[tool.other]\nx = 'tool.logsense'\n")
    assert stored_settings() == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("colour = 'never'\n", "there is no setting 'colour'"),
        ("output = 'x'\n", "there is no setting 'output'"),
        ("quiet = 'yes'\n", "quiet must be true or false"),
        ("color = 'sometimes'\n", "color must be one of auto, always, never"),
        ("rules = 3\n", "rules must be a string"),
        ("[tool.logsense\n", "can't be read"),
        ("# \xff", "can't be read"),
    ],
)
def test_problems_name_the_file(text: str, says: str, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "config" / "logsense" / "config.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as error:
        stored_settings()
    assert str(error.value).startswith(str(tmp_path / "config" / "logsense" / "config.toml"))
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.logsense]\ncolour = 'never'\nquiet = true\n", "colour (a project sets"),
        ("[tool.logsense]\ncolor = 'sometimes'\nquiet = true\n", "color must be one of auto, always, never"),
        ("[tool.logsense\n", "can't be read"),
        ("# tool.logsense \xff", "can't be read"),
    ],
)
def test_what_is_wrong_with_a_project_stops_nothing(text: str, says: str, tmp_path: Path) -> None:
    write(tmp_path, "verbose = true\n")
    (tmp_path / "project" / "pyproject.toml").write_bytes(text.encode("latin-1"))
    found = stored_settings()
    assert says in str(found["ignored"])
    assert found["verbose"] is True
    assert ("quiet" in found) == ("quiet" in text)


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "~")
    assert user_file() is None


def test_the_current_folder_was_deleted(tmp_path: Path) -> None:
    (tmp_path / "project" / "deep").rmdir()
    assert stored_settings() == {}

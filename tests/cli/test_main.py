"""The command line from outside: what is printed where, and the exit status."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from logsense import __version__
from logsense.cli.commands import COMMAND_NAMES, COMMANDS, Command
from logsense.cli.help import help_page
from logsense.cli.main import main
from logsense.model.knowledge import Catalog
from tests.cli.command_line import own_settings
from tests.conftest import Write
from tests.demo import FILES

LOG = "demo begins a run\nstep 1 loss 0.5\nmemory full: asked 2 GiB of 8 GiB, free 1 GiB\n"


@pytest.fixture
def _demo(write_catalog: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """A small catalog, an empty current folder, and no settings of the user's own."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "GITHUB_STEP_SUMMARY", "LOGSENSE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    Path("train.log").write_text(LOG)
    Path("fine.log").write_text("demo begins a run\nstep 1 loss 0.5\ndemo is done\n")
    return write_catalog(FILES)


pytestmark = pytest.mark.usefixtures("_demo")
Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    "arguments", [["train.log"], ["explain", "train.log"], [LOG], ["--color=never", "explain", LOG]]
)
def test_a_failure_is_explained(arguments: list[str], capsys: Out) -> None:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out.startswith("✗ Memory is full ")
    assert "Ask for less than 2 GiB." in out
    assert err == ""


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    for arguments in (["explain"], ["explain", "-"], ["-"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
        assert main(arguments) == 0
        assert "Memory is full" in capsys.readouterr().out


def test_a_paste_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(LOG.encode()))
    monkeypatch.setattr(stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["explain"]) == 0
    out, err = capsys.readouterr()
    assert "press Ctrl-D" in err or os.name == "nt"
    assert "Memory is full" in out
    assert main([]) == 0
    assert "logsense train.log" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["train.log"], 0),
        (["--exit-code", "train.log"], 1),
        (["--exit-code", "fine.log"], 0),
        (["--exit-code", "--quiet", "train.log"], 1),
        (["missing.log"], 2),
        (["explian"], 2),
        ([""], 2),
        (["nothing known in here"], 0),
        (["train.log", "--format", "yaml"], 2),
        (["train.log", "--nope"], 2),
        (["--format"], 2),
    ],
)
def test_exit_status(arguments: list[str], status: int, capsys: Out) -> None:
    assert main(arguments) == status
    out, err = capsys.readouterr()
    if status == 2:
        assert out == ""
        assert err.startswith("logsense: ")
        assert err.count("\n") == 1


def test_quiet_prints_nothing_for_a_completed_run(capsys: Out) -> None:
    assert main(["--quiet", "fine.log"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["fine.log"]) == 0
    assert capsys.readouterr().out == "✓ The run completed; no failure found (3 lines of fine.log)\n"


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("text", "✗ Memory is full"),
        ("json", '{\n "schema": "logsense.report/1"'),
        ("markdown", "## Memory is full"),
        ("github", "::error title=Memory is full"),
        ("html", "<!doctype html>"),
    ],
)
def test_formats(format: str, start: str, capsys: Out) -> None:
    assert main(["train.log", "--format", format]) == 0
    assert capsys.readouterr().out.startswith(start)


def test_output_file(capsys: Out) -> None:
    assert main(["train.log", "--format", "json", "--output", "report.json"]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(Path("report.json").read_text())["diagnoses"][0]["cause"] == "memory.capacity"
    assert main(["train.log", "--output", "missing/report.json"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("✗ Memory is full")
    assert said.endswith("\nlogsense: missing/report.json: No such file or directory\n")


def test_github_summary(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert main(["train.log", "--format", "github"]) == 0
    assert capsys.readouterr().out.startswith("::error ")
    assert Path("summary.md").read_text().startswith("## Memory is full")


def test_version_and_help(capsys: Out) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"logsense {__version__}\n"
    assert main(["--quiet", "--version"]) == 0
    assert capsys.readouterr().out == f"logsense {__version__}\n"
    for arguments in (["--help"], ["explain", "--help"], ["rules"], ["causes", "-h"]):
        assert main(arguments) == 0
        assert "Usage: logsense" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.path)
@pytest.mark.parametrize("columns", ["80", "44", "10"])
def test_a_help_page_names_all_in_the_width(command: Command, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    page = help_page(command.path)
    assert max(map(len, page.splitlines()[1:])) <= max(40, int(columns))
    said = " ".join(page.split())
    assert command.summary in said
    for one in command.arguments:
        assert f"{one.metavar} {one.help[:8]}" in said
    for option in command.options:
        assert all(flag in page for flag in option.flags)
        assert "".join(option.meaning.split()) in "".join(page.split())


def test_a_group_lists_its_commands() -> None:
    page = help_page("rules")
    assert page.startswith("Usage: logsense rules COMMAND\n")
    assert "\n  schema      Print the JSON Schema" in page


def test_settings_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.logsense]\nformat = "markdown"\n')
    assert main(["train.log"]) == 0
    assert capsys.readouterr().out.startswith("## Memory")
    monkeypatch.setenv("XDG_CONFIG_HOME", own_settings(tmp_path, 'format = "yaml"\n'))
    assert main(["train.log"]) == 2
    assert "format must be one of text, json" in capsys.readouterr().err


def test_own_catalog_with_problems(tmp_path: Path, capsys: Out) -> None:
    own = tmp_path / "own" / "demo"
    own.mkdir(parents=True)
    (own / "broken.yaml").write_text("id: [")
    assert main(["train.log", "--corpus", str(tmp_path / "own")]) == 0
    out, err = capsys.readouterr()
    assert "Memory is full" in out
    assert err.startswith("logsense: ignored: ")


def test_an_error_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr("logsense.cli.explain.explain", broken)
    assert main(["train.log"]) == 2
    err = capsys.readouterr().err
    assert err == (
        "logsense: internal error of logsense, please report it: ZeroDivisionError: oh no "
        "(LOGSENSE_DEBUG=1 shows the traceback)\n"
    )
    monkeypatch.setenv("LOGSENSE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["train.log"])


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 0), (MemoryError, 2)])
def test_ends_without_a_traceback(error: type[BaseException], status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("logsense.cli.explain.explain", broken)
    assert main(["train.log"]) == status


def test_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "logsense", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"logsense {__version__}\n"


def test_the_plain_way_imports_no_command_line_library() -> None:
    code = (
        "import sys; from logsense.cli.main import main; status = main(['--format', 'text', 'train.log']);"
        "heavy = {'typing', 'typer', 'click', 'rich', 'yaml', 'argparse', 'inspect', 'tempfile', 'logging'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else status)"
    )
    # Measuring coverage would import much by itself.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    # The first run may have to compile the catalog.
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environ)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_the_overview_fits_a_terminal_and_names_all_commands(arguments: list[str], capsys: Out) -> None:
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 80
    assert set(COMMAND_NAMES) <= set(re.findall(r"\w+", " ".join(lines)))

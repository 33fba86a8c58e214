"""Completion, in the shells themselves."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.cli.completion import imply_explain
from tests.cli.command_line import call, python_path

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment with `logsense` on the path, and two logs in the current folder."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "logsense").write_text(f'#!/bin/sh\nexec {sys.executable} -m logsense "$@"\n')
    (tmp_path / "bin" / "logsense").chmod(0o755)
    (tmp_path / "train.log").write_text("x\n")
    return {
        **os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": python_path(ROOT),
        "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path), "TERM": "dumb",
    }  # fmt: skip


_BASH = """
source <(logsense completion bash)
while IFS= read -r line; do
    eval "COMP_WORDS=($line)"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _logsense_completion logsense
    echo "${COMPREPLY[*]}"
done
"""


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash(environ: dict[str, str], tmp_path: Path) -> None:
    asked = {
        "logsense ca": "causes",
        "logsense rules te": "test",
        "logsense --fo": "--format",
        "logsense train.log --verb": "--verbose",
        "logsense --color ''": "auto always never",
        "logsense causes gpu-memory.frag": "gpu-memory.fragmentation",
        "logsense signatures pytorch.cuda-out-of-mem": "pytorch.cuda-out-of-memory",
        "logsense run --stall": "--stall-after",
        "logsense train.l": "",  # the shell goes on with files
    }
    done = subprocess.run(
        ["bash", "--norc", "-c", _BASH], input="".join(f"{line}\n" for line in asked),
        capture_output=True, text=True, timeout=60, check=True, env=environ, cwd=tmp_path,
    )  # fmt: skip
    assert dict(zip(asked, done.stdout.split("\n"), strict=False)) == asked
    assert done.stderr == ""


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish(environ: dict[str, str], tmp_path: Path) -> None:
    asked = 'complete -C "logsense ca"; complete -C "logsense --colo"; complete -C "logsense report tr"'
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"logsense completion fish | source; {asked}"],
        capture_output=True, text=True, timeout=60, check=True, env=environ, cwd=tmp_path,
    )  # fmt: skip
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["causes", "--color", "train.log"]


@pytest.mark.skipif(not shutil.which("zsh") or not importlib.util.find_spec("pexpect"), reason="needs zsh and pexpect")
def test_zsh(environ: dict[str, str], tmp_path: Path) -> None:
    pexpect = importlib.import_module("pexpect")
    shell = pexpect.spawn(
        "zsh", ["-f", "-i"], env={**environ, "PS1": "> "}, cwd=str(tmp_path), timeout=30, encoding="utf-8"
    )
    shell.sendline(
        "autoload -Uz compinit; compinit -u; unsetopt zle_bracketed_paste; source <(logsense completion zsh); echo re''ady"
    )
    shell.expect("ready")
    shell.send("echo $(logsense --version) && logsense caus\t")
    shell.expect("causes")
    shell.sendcontrol("u")
    shell.send("logsense report tra\t")
    shell.expect(r"train\.log")
    shell.sendcontrol("u")
    shell.sendline("exit")
    shell.expect(pexpect.EOF)
    shell.close()


def test_scripts(tmp_path: Path) -> None:
    assert "Register-ArgumentCompleter -Native -CommandName logsense" in call("completion", "pwsh", cwd=tmp_path).stdout
    assert call("completion", cwd=tmp_path, SHELL="/usr/bin/zsh").stdout.startswith(
        "#compdef logsense\n# To install it: "
    )
    assert "specify the shell: logsense completion bash|zsh" in call("completion", "tcsh", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("logsense --fo", "logsense explain --fo"),
        ("logsense train.log --fo", "logsense explain train.log --fo"),
        ("logsense train.log ", "logsense explain train.log "),
        ("logsense ca", "logsense ca"),
        ("logsense causes --fo", "logsense causes --fo"),
        ("logsense -q causes --fo", "logsense -q causes --fo"),
        ("logsense ", "logsense "),
        ("logsense", "logsense"),
    ],
)
def test_explain_is_the_default_command(typed: str, asked: str) -> None:
    environ = {"_TYPER_COMPLETE_ARGS": typed}
    imply_explain(environ)
    assert environ["_TYPER_COMPLETE_ARGS"] == asked

"""Messages for wrong use say what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.here import call
from tests.cli.test_sharing import LOG


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["explian", "train.log"], "there is no command and no file 'explian'; did you mean logsense explain?"),
        (["gpu"], "no message that is known; did you mean logsense gpus?"),
        (["trian.log"], "no such file: trian.log; did you mean train.log?"),
        (["train.log", "./trian.log"], "no such file: ./trian.log; did you mean ./train.log?"),
        (["nothing-like-it.log"], "no such file: nothing-like-it.log\n"),
        (["run", "--alwys", "true"], "run has no option --alwys; did you mean --always?"),
        (["run", "--zzz", "true"], "run has no option --zzz (see logsense run --help)"),
        (["--fromat", "json", "train.log"], "--format"),
        (["rules", "lnit"], "lint"),
    ],
)
def test_what_was_meant(words: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    done = call(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""


def test_words_of_a_message_are_no_commands(tmp_path: Path) -> None:
    done = call("CUDA", "error:", "an", "illegal", "memory", "access", "was", "encountered", cwd=tmp_path)
    assert "did you mean" not in done.stderr
    (tmp_path / "watc").write_text(LOG)
    assert "shard.bin" in call("watc", cwd=tmp_path).stdout

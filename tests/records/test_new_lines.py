"""What is new in a failed run since a good one."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.model.report import NewLine
from logsense.model.source import Source
from logsense.records import new_lines as compare

GOOD = "".join(f"2026-01-01 00:00:{step % 60:02d} INFO step {step} loss {1 / (step + 1):.4f}\n" for step in range(300))
BAD = (
    GOOD.replace("2026-01-01", "2026-02-02")
    + "WARNING: shard 17 is odd\n  50%|████      | 5/10 [00:01<00:01,  4.00it/s]\nWARNING: shard 18 is odd\n"
    + 'Traceback (most recent call last):\n  File "t.py", line 3\nFrobError: frob 7 at 0xdeadbeef01\n'
)


def source(text: str, name: str = "a.log") -> Source:
    data = text.encode()
    return Source(name, len(data), lambda _: io.BytesIO(data))


def said(failed: str, *good: str) -> list[tuple[int, str]]:
    return [(one.line, one.text) for one in compare.new_lines([source(failed)], [source(one) for one in good])]


def test_new_lines() -> None:
    assert said(BAD, GOOD) == [
        (301, "WARNING: shard 17 is odd"),
        (306, "FrobError: frob 7 at 0xdeadbeef01"),
    ]
    assert said(BAD, GOOD, BAD.replace("17", "99")) == []
    assert said(GOOD, GOOD) == []


def test_the_first_and_the_last_of_many() -> None:
    words = [f"{chr(97 + number % 26)}{chr(97 + number // 26)}zz happened" for number in range(100)]
    found = said("\n".join(words), GOOD)
    assert [line for line, _ in found] == [*range(1, 7), *range(95, 101)]


def test_several_logs_say_a_thing_once() -> None:
    found = compare.new_lines([source(BAD, "rank0.log"), source(BAD + "and this\n", "rank1.log")], [source(GOOD)])
    assert [one.source for one in found] == ["rank0.log"] * 2 + ["rank1.log"]
    assert found[-1] == NewLine("rank1.log", 307, "and this")


@given(
    st.lists(st.sampled_from([b"alpha 1\n", b"beta\n", b"\n", b"gamma \xff 2\n", b"delta delta 33\r\n"]), max_size=60),
    st.integers(20, 60),
)
@settings(deadline=None)
def test_blocks_make_no_difference(lines: list[bytes], size: int) -> None:
    data = b"".join(lines) + b"the end"
    whole = compare.new_lines([Source("a", None, lambda _: io.BytesIO(data))], [])
    usual = compare.BLOCK_BYTES
    compare.BLOCK_BYTES = size
    try:
        assert compare.new_lines([Source("a", None, lambda _: io.BytesIO(data))], []) == whole
    finally:
        compare.BLOCK_BYTES = usual
    assert whole[-1].line == len(lines) + 1


def test_as_a_user_runs_it(tmp_path: Path) -> None:
    (tmp_path / "good.log.gz").write_bytes(gzip.compress(GOOD.encode()))
    (tmp_path / "bad.log").write_text(BAD)
    command = [sys.executable, "-m", "logsense", "explain", "--against", "good.log.gz"]
    ended = subprocess.run([*command, "bad.log"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "New since the good run\n  line 301  WARNING: shard 17 is odd\n" in ended.stdout
    assert ended.stdout.rpartition("New since")[2].count("\n") == 2  # what proves the answer is not repeated
    ended = subprocess.run(
        [*command, "-f", "json"], input=BAD, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(ended.stdout)["new"][0] == {
        "source": "standard input",
        "line": 301,
        "text": "WARNING: shard 17 is odd",
    }
    for form in ("markdown", "html"):
        ended = subprocess.run(
            [*command, "good.log.gz", "-f", form], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert "Nothing new since the good run" in ended.stdout
    assert (
        subprocess.run(
            [*command[:-1], "nowhere.log", "bad.log"], cwd=tmp_path, check=False, capture_output=True
        ).returncode
        == 2
    )

"""`logsense rules`: for authors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.cli.main import main
from tests.conftest import Write
from tests.demo import FILES

Out = pytest.CaptureFixture[str]

SAMPLES = """
samples:
  positive:
    - {text: "memory full: asked 2 GiB of 8 GiB, free 1 GiB", captures: {asked: 2 GiB, total: 8 GiB, free: 1 GiB}}
    - {text: "memory full: asked 4 GiB of 8 GiB, free 0 MiB", captures: {asked: 4 GiB, total: 8 GiB, free: 0 MiB}}
  negative:
    - {text: "memory full: see the manual", because: prose}
examples:
  - {name: again, log: "memory full: asked 3 GiB of 8 GiB, free 1 GiB", first: memory.capacity}
"""


def test_lint(write_catalog: Write, tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    write_catalog({**FILES, "corpus/demo/bad.yaml": "id: demo.worse\n"})
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "lint"]) == 1
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if line.startswith("corpus/demo/bad.yaml:1:1: ")]
    assert err.endswith("problems\n")
    assert main(["rules", "lint", "missing"]) == 2
    assert capsys.readouterr().err == "logsense: missing: no such file or folder\n"


def test_lint_of_ones_own_warns(write_catalog: Write, tmp_path: Path, capsys: Out) -> None:
    write_catalog({})
    own = tmp_path / "own" / "demo" / "bad.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("id: demo.bad\n")
    assert main(["rules", "lint", str(own), "--corpus", str(tmp_path / "own")]) == 0
    assert "warning: " in capsys.readouterr().out


def test_test(write_catalog: Write, tmp_path: Path, capsys: Out) -> None:
    rule, message = "rules/memory/capacity.yaml", "corpus/demo/full.yaml"
    text = FILES[message] + SAMPLES
    write_catalog({**FILES, message: text})
    assert main(["rules", "test", str(tmp_path / rule), str(tmp_path / message)]) == 0
    assert capsys.readouterr() == ("", "logsense: 3 samples, 3 examples, none failed\n")
    broken = FILES[rule].replace('"lost the device 1", expect: silent', '"oh", expect: first')
    write_catalog({**FILES, rule: broken, message: text.replace("asked: 4 GiB", "asked: 5 GiB")})
    assert main(["rules", "test", str(tmp_path / rule), str(tmp_path / message)]) == 1
    out, err = capsys.readouterr()
    assert ": asked is 4294967296, not 5368709120\n" in out
    assert out.endswith("capacity.yaml: 'lost'\n    expected memory.capacity to be first, got nothing\n")
    assert err == "logsense: 3 samples, 3 examples, 2 failed\n"


def test_new(tmp_path: Path, capsys: Out) -> None:
    line = "RuntimeError: the frob of 12 MiB is out of band at /data/x/y.bin"
    assert main(["rules", "new", line]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# corpus/")
    assert "{size:size}" in out
    assert main(["rules", "new", line, "--output", str(tmp_path)]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path.parent.parent == tmp_path / "corpus"
    assert path.is_file()
    assert main(["rules", "new", line, "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith(": File exists\n")


def test_schema(capsys: Out) -> None:
    assert main(["rules", "schema"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_strict_counts_problems_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "corpus" / "own").mkdir(parents=True)
    (tmp_path / "corpus" / "own" / "bad.yaml").write_text('id: own.bad\ntitle: x\nmatch: "["\n')
    own = str(tmp_path / "corpus")
    words = [sys.executable, "-m", "logsense", "rules", "lint", own, "--corpus", own]
    lenient, strict = (
        subprocess.run([*words, *more], capture_output=True, text=True, check=False) for more in ([], ["--strict"])
    )
    assert (lenient.returncode, strict.returncode) == (0, 1)
    assert "warning: " in lenient.stdout
    assert "warning: " not in strict.stdout

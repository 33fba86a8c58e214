"""logsense as a library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import logsense
from logsense.util.errors import InputError

MISSING = "ModuleNotFoundError: No module named 'flash_attn'"


def _python(program: str) -> subprocess.CompletedProcess[str]:
    # Measuring coverage would import much by itself.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environ)


def test_a_text_a_file_and_bytes_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(MISSING + "\n")
    answers = [logsense.explain(one) for one in (MISSING, MISSING.encode(), str(path), path, [path])]
    assert {one.cause for one in answers} == {"env.package-missing"}
    assert all(answers)
    assert "flash_attn" in str(answers[0])
    assert answers[0].write("json").startswith("{")
    assert repr(answers[0]) == "<Explanation: failed, env.package-missing>"


def test_logs_of_different_jobs(tmp_path: Path) -> None:
    texts = {"fine.log": "step 1000 loss 0.5\nTraining completed.\n", "train.log": MISSING + "\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = logsense.explain([tmp_path / name for name in texts])
    assert found.cause == "env.package-missing"
    assert {Path(name).name: one.cause for name, one in found.jobs.items()} == {
        "fine.log": None,
        "train.log": "env.package-missing",
    }
    assert str(found).startswith("These look like the logs of 2 jobs: ")
    assert not logsense.explain(tmp_path / "train.log").jobs


def test_an_exception_with_its_causes() -> None:
    try:
        try:
            import torch_that_is_not_there  # type: ignore[import-not-found]  # noqa: F401
        except ImportError as error:
            raise RuntimeError("can't start") from error
    except RuntimeError as error:
        found = logsense.explain(error)
    assert found.cause == "env.package-missing"


def test_a_healthy_text_is_false() -> None:
    found = logsense.explain("epoch 1 loss 0.5\nepoch 2 loss 0.4\nTraining completed.\n")
    assert not found
    assert found.cause is None


def test_no_such_file() -> None:
    with pytest.raises(InputError, match="no such file"):
        logsense.explain(Path("/nowhere/train.log"))


def test_html_escapes_what_logs_say() -> None:
    page = logsense.explain(
        "FileNotFoundError: [Errno 2] No such file or directory: '<script>x</script>'"
    )._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_cell_says_that_a_warning_is_harmless() -> None:
    page = logsense.explain(
        "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 64.0"
    )._repr_html_()
    assert "No failure found" in page
    assert "dynamic loss scaling is finding its scale" in page


def test_importing_costs_little() -> None:
    done = _python(
        "import sys, logsense; print([m for m in sys.modules if m in ('re', 'regex', 'yaml', 'typing', 'json')])"
    )
    assert done.stdout.strip() == "[]"


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="explode"):
        logsense.explode  # noqa: B018


def test_installed_hooks_explain_below_the_traceback() -> None:
    done = _python("import logsense; logsense.install(); logsense.install(); import torch_that_is_not_there")
    assert done.returncode == 1
    trace, _, explained = done.stderr.partition("✗")
    assert trace.rstrip().endswith("No module named 'torch_that_is_not_there'")
    assert "find the module torch_that_is_not_there" in explained
    assert "✗" not in explained


def test_hooks_in_threads() -> None:
    done = _python(
        "import logsense, threading; logsense.install()\n"
        "def work(): import torch_that_is_not_there\n"
        "t = threading.Thread(target=work); t.start(); t.join()"
    )
    assert done.returncode == 0
    assert done.stderr.count("find the module torch_that_is_not_there") == 1


@pytest.mark.parametrize("end", ["1/0", "raise KeyboardInterrupt", "import sys; sys.exit(3)"])
def test_hooks_say_nothing_where_there_is_nothing_to_add(end: str) -> None:
    with_hooks = _python(f"import logsense; logsense.install()\n{end}")
    without = _python(f"import logsense\n{end}")
    assert (with_hooks.returncode, with_hooks.stderr) == (without.returncode, without.stderr)


def test_uninstalled_hooks() -> None:
    done = _python("import logsense; logsense.install(); logsense.uninstall(); logsense.uninstall(); import torch_nope")
    assert "✗" not in done.stderr


def test_a_hook_on_top_of_ours_stays() -> None:
    done = _python(
        "import logsense, sys; logsense.install(); ours = sys.excepthook\n"
        "def theirs(*error): print('theirs', file=sys.stderr); ours(*error)\n"
        "sys.excepthook = theirs; logsense.uninstall(); print(sys.excepthook is theirs)"
    )
    assert done.stdout.strip() == "True"


def test_an_answer_to_be_passed_on() -> None:
    found = logsense.explain("FileNotFoundError: [Errno 2] No such file or directory: '/home/alovelace/x.bin'")
    assert "/home/alovelace/x.bin" in found.write("markdown")
    hidden = found.redacted()
    assert "/home/<user-1>/x.bin" in hidden.write("text")
    assert "alovelace" not in hidden.write("json")
    assert hidden.redacted() is hidden
    assert "alovelace" not in found.write("prompt")
    assert found.report.masked is None


def test_a_rule_file_that_is_ignored_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("<<<<<<< HEAD\ncause: x\n")
    with pytest.warns(UserWarning, match=r"ignored: .*x\.yaml:\d+:\d+: not YAML"):
        assert logsense.explain(b"RuntimeError: CUDA out of memory", rules=str(tmp_path)).cause == "gpu-memory.capacity"

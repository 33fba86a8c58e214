"""Real kernels that die, and what the next one says of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

jupyter_client = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")
pytestmark = [
    pytest.mark.notebooks,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how a kernel ended"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


class Kernel:
    """A kernel as a server has it: restarted under the same connection file."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self._manager = jupyter_client.KernelManager(kernel_name="python3")
        self._manager.start_kernel(env={**os.environ, "XDG_STATE_HOME": str(state)}, cwd=str(state))

    def run(self, code: str) -> list[str]:
        """Runs a cell; gives what is shown as text, and "DEAD" where the kernel died of it."""
        client: Any = self._manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        asked, shown = client.execute(code), []
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                message = client.get_iopub_msg(timeout=0.2)
            except Exception:  # noqa: BLE001 - no message yet
                if not self._manager.is_alive():
                    shown.append("DEAD")
                    break
                continue
            content = message["content"]
            if message["parent_header"].get("msg_id") != asked:
                continue
            if message["msg_type"] == "display_data":
                shown.append(content["data"]["text/plain"])
            elif message["msg_type"] in ("stream", "error"):
                shown.append(content.get("text") or content["ename"])
            elif content.get("execution_state") == "idle":
                break
        client.stop_channels()
        return shown

    def load(self, how: str = "%load_ext") -> list[str]:
        """Loads the extension, and waits until the recorder is at work."""
        shown = self.run(f"{how} logsense")
        until = time.monotonic() + 30
        while not (self.folders()[-1] / "machine.json").exists() and time.monotonic() < until:
            time.sleep(0.05)
        return shown

    def restart(self, *, now: bool) -> None:
        self._manager.restart_kernel(now=now)

    def close(self) -> None:
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()

    def folders(self) -> list[Path]:
        return sorted((self.state / "logsense" / "kernels").iterdir())


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    one = Kernel(tmp_path)
    yield one
    one.close()


def test_the_last_kernel_died(kernel: Kernel) -> None:
    assert kernel.load() == []
    assert kernel.run("x = 1\nprint('step 7 loss 2.5')\nimport os; os.kill(os.getpid(), 9)")[-1] == "DEAD"
    kernel.restart(now=True)
    [said] = kernel.load()
    assert said.startswith("The last kernel died ")
    assert "ago, by signal 9 (SIGKILL), while cell [2] ran: x = 1 …" in said
    assert "step 7" in said
    # It is said once, and again when it is asked for.
    assert kernel.load("%reload_ext") == []
    assert "signal 9" in kernel.run("%logsense kernel")[0]

    assert kernel.run("import ctypes\nx = 2\nctypes.string_at(0)\nx = 3")[-1] == "DEAD"
    kernel.restart(now=True)
    [said] = kernel.load()
    assert "by signal 11 (SIGSEGV), while cell [4] ran, in line 3: ctypes.string_at(0)" in said
    assert "✗ The process ended with a segmentation fault" in said
    assert "Segmentation fault" in said

    # Nobody is told of a kernel that was restarted by hand, resting or at work.
    kernel.restart(now=False)
    assert kernel.load() == []
    kernel.restart(now=True)
    assert kernel.load() == []


def test_another_notebooks_kernel_is_none_of_ours(kernel: Kernel, tmp_path: Path) -> None:
    kernel.load()
    assert kernel.run("import os; os._exit(5)")[-1] == "DEAD"
    (tmp_path / "other").mkdir()
    other = Kernel(tmp_path)
    try:
        other.run(f"import os; os.chdir({str(tmp_path / 'other')!r})")
        assert other.run("%load_ext logsense") == []
    finally:
        other.close()
    kernel.restart(now=True)
    [said] = kernel.load()
    assert "with exit status 5" in said


def test_the_recorder_outlives_the_kernel_and_then_ends(kernel: Kernel) -> None:
    import psutil

    assert kernel.load() == []
    recorders = [
        one for one in psutil.process_iter(["cmdline"]) if str(kernel.state) in " ".join(one.info["cmdline"] or ())
    ]
    assert len(recorders) == 1
    assert kernel.run("import os; os._exit(5)")[-1] == "DEAD"
    psutil.wait_procs(recorders, timeout=30)
    assert not recorders[0].is_running() or recorders[0].status() == psutil.STATUS_ZOMBIE
    [folder] = kernel.folders()
    assert (folder / "end.json").exists()
    assert (folder / "samples-0a.jsonl").read_text()
    assert folder.stat().st_mode & 0o077 == 0


def test_nothing_is_recorded_where_that_is_not_wanted_or_not_possible(tmp_path: Path) -> None:
    (tmp_path / "logsense").write_text("a file where a folder should be")
    kernel = Kernel(tmp_path)
    try:
        assert kernel.run("%load_ext logsense") == []
        assert "is not installed" in kernel.run("import flash_attn_that_is_not_there")[-1]
        kernel.run("%unload_ext logsense")
        (tmp_path / "logsense").unlink()
        kernel.run("import os; os.environ['LOGSENSE_RECORD_KERNEL'] = '0'")
        assert kernel.run("%load_ext logsense") == []
        assert not (tmp_path / "logsense").exists()
    finally:
        kernel.close()

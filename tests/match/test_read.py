"""Reading the logs of one job: one after the other or on all cores, a few or very many of them."""

from __future__ import annotations

import subprocess
import sys
import threading
from io import BytesIO
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.match import engines, read
from logsense.model.knowledge import Literals
from logsense.pipeline import explain
from logsense.sources.find import resolve
from logsense.util.cores import cores, on_all_cores
from logsense.util.errors import InputError

BUSY = "[2026-05-03 10:{:02d}:{:02d},000][train][INFO] - step {} loss 2.31 lr 3.0e-04\n"
LATE = (
    "[rank{0}]:[E503 10:31:07.000 ProcessGroupNCCL.cpp:629] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=120, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600029 "
    "milliseconds before timing out.\n"
)
OWN = "[rank{0}]: Traceback (most recent call last):\n[rank{0}]:   File \"train.py\", line 3, in <module>\n[rank{0}]: KeyError: 'loss'\n"


def job(folder: Path, ranks: int, fault: int) -> Path:
    """A folder with a log for each of `ranks` ranks, of which `fault` raises and all others wait."""
    for rank in range(ranks):
        steps = "".join(BUSY.format(step // 60, step % 60, step) for step in range(200))
        (folder / f"rank_{rank}.log").write_text(steps + (OWN if rank == fault else LATE).format(rank))
    return folder


@pytest.mark.parametrize(("ranks", "fault"), [(4, 2), (17, 0), (60, 59), (60, 31)])
def test_one_rank_of_many_is_at_fault(tmp_path: Path, ranks: int, fault: int) -> None:
    found = explain(resolve([str(job(tmp_path, ranks, fault))], stdin=BytesIO()), load_catalog())
    assert found.diagnoses[0].cause.startswith("code.")
    assert [one.rank for one in found.culprits] == [fault]
    assert found.consequences[0].ranks == tuple(rank for rank in range(ranks) if rank != fault)
    assert found.progress
    assert found.progress.step == 199


ON_ALL_CORES = """
import sys
from io import BytesIO
from logsense.match import read as reading
from logsense.catalog.load import load_catalog
from logsense.pipeline import explain
from logsense.render.json import render_json
from logsense.sources.find import resolve
on_all_cores, apart = reading.on_all_cores, []
reading.on_all_cores = lambda *of: (apart.append(one) or one for one in on_all_cores(*of))
reading.ALL_CORES_BYTES = int(sys.argv[2])
sys.stdout.write(render_json(explain(resolve([sys.argv[1]], stdin=BytesIO()), load_catalog())))
sys.exit(len(apart))
"""


@pytest.mark.skipif(cores() < 2, reason="one core only")
def test_all_cores_see_what_one_does(tmp_path: Path) -> None:
    folder = job(tmp_path, 20, 7)
    # In a process of its own: the tests of this one leave threads behind, and with these none is forked.
    done, alone = (
        subprocess.run([sys.executable, "-c", ON_ALL_CORES, str(folder), least], capture_output=True, check=False)
        for least in ("1", str(1 << 40))
    )
    assert (done.returncode, alone.returncode) == (20, 0)
    assert done.stdout == alone.stdout != b""


def test_a_log_that_cannot_be_read_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = resolve([str(job(tmp_path, 4, 1))], stdin=BytesIO())
    (tmp_path / "rank_2.log").unlink()
    monkeypatch.setattr(read, "ALL_CORES_BYTES", 1)
    with pytest.raises(InputError, match="rank_2"):
        explain(sources, load_catalog())


DIES = """
import os, signal
from logsense.util.cores import cores, on_all_cores

def work(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number

done = dict(on_all_cores(work, 9))
assert 3 not in done
assert all(result == number * number for number, result in done.items())
assert cores() < 2 or done
"""


def test_what_a_process_leaves_undone_is_left_out() -> None:
    done = subprocess.run([sys.executable, "-c", DIES], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_with_threads_is_not_copied() -> None:
    goes_on = threading.Event()
    thread = threading.Thread(target=goes_on.wait)
    thread.start()
    try:
        assert dict(on_all_cores(str, 9)) == {}
    finally:
        goes_on.set()
        thread.join()


@pytest.mark.parametrize(("log", "known"), [(b"KeyError: 'loss'\n", True), (b"all is well\n" * 100_000, False)])
def test_a_few_lines_on_standard_input_need_no_engine_for_large_logs(
    monkeypatch: pytest.MonkeyPatch, log: bytes, known: bool
) -> None:
    sizes: list[int | None] = []
    engine_for = engines.engine_for

    def noted(literals: Literals, size: int | None, cache_folder: str | None) -> object:
        sizes.append(size)
        return engine_for(literals, size, cache_folder)

    monkeypatch.setattr(read, "engine_for", noted)
    monkeypatch.setattr(read, "_kept", {})
    explain(resolve(["-"], stdin=BytesIO(log)), load_catalog())
    assert sizes[0] == (len(log) if known else None)


@pytest.mark.parametrize(("count", "undone"), [(1, []), (17, [1_000])])
def test_only_small_ones_are_taken_for_pastes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, undone: list[int]
) -> None:
    seen: list[int] = []
    monkeypatch.setattr("logsense.match.read.undo_pasting", lambda data: seen.append(len(data)))
    for rank in range(count):
        size = 1_000 if rank == 3 else 100_000
        (tmp_path / f"rank_{rank}.log").write_text("x" * (size - 1) + "\n")
    found = explain(resolve([str(tmp_path)], stdin=BytesIO()), load_catalog())
    assert found.outcome != "failed"
    assert seen == undone


def test_jobs_that_are_read_at_once_do_not_influence_each_other(tmp_path: Path) -> None:
    """Numbers that are ranks in one job are none in another."""
    catalog = load_catalog()
    jobs = []
    for names in (("log-0.log", "log-1.log"), ("log-84.log", "log-90.log")):
        folder = tmp_path / names[0]
        folder.mkdir()
        for name in names:
            (folder / name).write_text("ready\n")
        sources = resolve([str(folder)], stdin=BytesIO())
        jobs.append((read.Reader(catalog, None, [one.name for one in sources]), sources))
    ranks = [[reader.scan(source).place[0] for source in sources] for reader, sources in jobs]
    assert ranks == [[0, 1], [None, None]]


OWN_CHILD = """
import multiprocessing, time
from logsense.util.cores import on_all_cores
child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,), daemon=True)
child.start()
done = sorted(on_all_cores(lambda number: number, 3))
child.join(0.5)
print(done, child.exitcode)
"""


@pytest.mark.skipif(sys.platform != "linux" or cores() < 2, reason="one process")
def test_children_of_the_program_itself_go_on() -> None:
    done = subprocess.run([sys.executable, "-c", OWN_CHILD], capture_output=True, text=True, check=True)
    assert done.stdout == "[(0, 0), (1, 1), (2, 2)] None\n"

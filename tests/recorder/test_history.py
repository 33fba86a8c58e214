"""What a recorder's samples say, and how it changes what a log means."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.live import Ended, Live, Own
from logsense.model.report import Report
from logsense.model.run import GpuSample, Holder, HostSample, JobSample, RecordedRun, Sample
from logsense.pipeline import explain_text
from logsense.recorder.history import facts_of, live_of, series_of

GIB = 1 << 30
OOM = b"""\
step 410 | loss 2.31
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacity of 79.10 GiB of \
which 18.00 MiB is free. Including non-PyTorch memory, this process has 42.10 GiB memory in use. Of the allocated \
memory 41.20 GiB is allocated by PyTorch, and 310.00 MiB is reserved by PyTorch but unallocated.
"""


def _samples(gpu=None, host=None, job=None, seconds: int = 600) -> list[Sample]:  # type: ignore[no-untyped-def]
    return [
        Sample(
            1e9 + s,
            float(s),
            (gpu(s),) if gpu else (),
            host(s) if host else HostSample(),
            job(s) if job else JobSample(),
        )
        for s in range(seconds)
    ]


def _explained(log: bytes, samples: list[Sample], ended: Ended) -> Report:
    live = Live("recorded", facts_of(samples), ended, series_of(samples))
    return explain_text(log, load_catalog(), ended=ended, look=lambda: live)


def _values(samples: list[Sample]) -> dict[str, object]:
    return {name: fact.value for name, fact in facts_of(samples).items()}


def test_nothing_recorded_says_nothing() -> None:
    assert facts_of([]) == {}
    assert series_of([]) == ()
    assert _values([Sample(0, 0)]) == {}


def test_a_climb_on_the_gpu_is_a_leak() -> None:
    samples = _samples(lambda s: GpuSample(0, 80 * GIB, 20 * GIB + s * GIB // 10, ours_bytes=20 * GIB, utilisation=0.9))
    assert _values(samples)["gpu.memory_climb"] == pytest.approx(6 * GIB, rel=0.1)
    without = explain_text(OOM.replace(b"42.10 GiB", b"78.90 GiB").replace(b"41.20", b"77.90"), load_catalog())
    report = _explained(OOM.replace(b"42.10 GiB", b"78.90 GiB").replace(b"41.20", b"77.90"), samples, Ended(1))
    assert without.diagnoses[0].cause == "gpu-memory.capacity"
    leak = next(one for one in report.diagnoses if one.cause == "gpu-memory.leak")
    proof = next(one for one in leak.evidence if "per minute" in one.says)
    assert "GiB per minute" in proof.says
    assert proof.source == "NVML, recorded"
    assert [one.title for one in report.machine.series] == ["Memory of GPU 0", "Use of GPU 0"]  # type: ignore[union-attr]


def test_another_process_that_came_late_is_named() -> None:
    late = (Holder(4711, "python3", 31 * GIB),)
    samples = _samples(lambda s: GpuSample(0, 80 * GIB, 45 * GIB, 42 * GIB, late if s > 589 else ()))
    report = _explained(OOM, samples, Ended(1))
    first = report.diagnoses[0]
    assert first.cause == "gpu-memory.other-process"
    assert any(
        "process 4711 (python3) allocated 31 GiB on GPU 0 9 s before the failure" in one.says for one in first.evidence
    )


def test_sigkill_at_the_limit_of_the_cgroup() -> None:
    samples = _samples(
        host=lambda s: HostSample(256 * GIB, 200 * GIB, 16 * GIB, min(16 * GIB, s * GIB // 30), int(s > 598))
    )
    report = _explained(b"step 410 | loss 2.31\n", samples, Ended(signal=9))
    first = report.diagnoses[0]
    assert report.outcome == "failed"
    assert first.cause == "host-memory.oom-killed"
    assert first.confidence > 0.9
    assert any("16 GiB of 16 GiB were in use" in one.says for one in first.evidence)
    assert report.machine
    assert report.machine.ended == "by signal 9 (SIGKILL)"


def test_sigkill_with_memory_to_spare_came_from_somebody() -> None:
    log = b"step 410 | loss 2.31\n"
    roomy = _explained(log, _samples(host=lambda s: HostSample(256 * GIB, 200 * GIB)), Ended(signal=9)).diagnoses[0]
    full = _explained(log, _samples(host=lambda s: HostSample(256 * GIB, 2 * GIB)), Ended(signal=9)).diagnoses[0]
    assert roomy.cause == "scheduler.cancelled"
    assert any("only 56 GiB of 256 GiB of RAM was in use" in one.says for one in roomy.evidence)
    assert full.cause == "host-memory.oom-killed"


def test_health_of_the_gpu() -> None:
    samples = _samples(
        lambda s: GpuSample(
            2, 80 * GIB, GIB, GIB, (), 0.0 if s > 300 else 0.8, 60 + s // 20,
            ("thermal slowdown",) if s > 500 else (), 3 if s > 590 else 0, s > 597,
        ),
        job=lambda s: JobSample(9, 12 * GIB, 3 * GIB, 1.5 * s, (("S", 7), ("D", 2)), 0.97, 0.5),
    )  # fmt: skip
    values = _values(samples)
    assert values["gpu.watched"] == 2
    assert values["gpu.temperature_peak"] == 89
    assert values["gpu.throttled_by"] == "thermal slowdown"
    assert values["gpu.throttled_share"] == pytest.approx(99 / 600, abs=0.01)
    assert values["gpu.ecc_rise"] == 3
    assert values["gpu.gone"] is True
    assert values["gpu.idle_for"] == pytest.approx(298, abs=2)
    assert values["job.cores_busy"] == pytest.approx(1.5)
    assert values["job.waiting_for_device"] == 2
    assert (values["job.open_files_share"], values["job.address_space_share"]) == (0.97, 0.5)


def test_every_fact_that_is_given_is_listed_in_the_rules() -> None:
    listed = load_catalog().facts()
    late = (Holder(1, "x", 31 * GIB),)
    samples = _samples(
        lambda s: GpuSample(0, 80 * GIB, 9 * GIB + s * GIB // 10, GIB, late if s > 590 else (), 0.0, 60, ("x",), s),
        lambda s: HostSample(GIB, GIB // 2 - s * 400_000, None, None, s, GIB, GIB // 2, GIB, 0.1),
        lambda s: JobSample(1, 1, 1, 1.0, (("D", 1),), 0.1, 0.1),
    )
    values = _values(samples)
    assert len(values) > 20
    assert [name for name in values if name not in listed] == []


@pytest.mark.parametrize(
    ("ended", "said", "cause"),
    [
        (Ended(signal=11), "by signal 11 (SIGSEGV)", "code.native-crash"),
        (Ended(139), "with exit status 139 (128 + 11, SIGSEGV)", "code.native-crash"),
        (Ended(137), "with exit status 137 (128 + 9, SIGKILL)", "host-memory.oom-killed"),
        (Ended(signal=15), "by signal 15 (SIGTERM)", "scheduler.cancelled"),
        (Ended(signal=1), "by signal 1 (SIGHUP)", "scheduler.hangup"),
        (Ended(signal=7), "by signal 7 (SIGBUS)", "host-memory.shared-memory"),
        (Ended(3), "with exit status 3", None),
    ],
)
def test_how_a_process_ends_where_its_log_says_nothing(ended: Ended, said: str, cause: str | None) -> None:
    report = explain_text(b"epoch 1 step 10 loss 0.5\n", load_catalog(), ended=ended)
    assert report.outcome == "failed"
    assert report.machine
    assert report.machine.ended == said
    assert (report.diagnoses[0].cause if report.diagnoses else None) == cause


def _recorded(tmp_path: Path, **more: object) -> Report:
    run = RecordedRun("x", str(tmp_path), ("python", "train.py"), "/", "node7", 1e9, **more)  # type: ignore[arg-type]
    return explain_text(b"epoch 1 step 10 loss 0.5\n", load_catalog(), ended=run.ended, look=lambda: live_of(run))


def test_a_recorder_that_was_killed_with_a_full_machine(tmp_path: Path) -> None:
    full = tuple(_samples(host=lambda s: HostSample(256 * GIB, 3 * GIB)))
    roomy = tuple(_samples(host=lambda s: HostSample(256 * GIB, 200 * GIB)))
    assert _recorded(tmp_path, samples=full).diagnoses[0].cause == "host-memory.oom-killed"
    assert not _recorded(tmp_path, samples=roomy).diagnoses
    assert not _recorded(tmp_path, samples=full, running=True).diagnoses


def test_a_machine_that_was_started_anew(tmp_path: Path) -> None:
    assert _recorded(tmp_path, rebooted=True).diagnoses[0].cause == "scheduler.node-failure"


def test_what_the_kernel_said_counts_for_the_last_minutes(tmp_path: Path) -> None:
    lines = (
        b"2001-09-09T01:00:00.000+00:00 NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus.\n"
        b"2001-09-09T01:46:30.000+00:00 NVRM: Xid (PCI:0000:1b:00): 48, pid=1, DBE (double bit error) was detected\n"
    )
    samples = (Sample(1e9 + 5, 5.0),)
    report = _recorded(tmp_path, ended=Ended(1), samples=samples, kernel_log=lines, own=Own(frozenset({1})))
    assert report.diagnoses[0].cause == "hardware.ecc-uncorrectable"
    assert report.diagnoses[0].evidence[0].source == "kernel log"


def test_a_good_end_is_a_good_end() -> None:
    report = explain_text(b"epoch 1 step 10 loss 0.5\n", load_catalog(), ended=Ended(0))
    assert report.outcome == "completed"
    assert not report.diagnoses

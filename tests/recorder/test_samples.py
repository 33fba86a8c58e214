"""Samples on disk."""

from __future__ import annotations

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from logsense.model.run import GpuSample, Holder, HostSample, JobSample, Sample
from logsense.recorder.samples import Samples, read_samples, sample_from_json

GPU = GpuSample(3, 80, 40, 30, (Holder(7, "x", 10), Holder(8, None, 1)), 0.5, 60, ("heat",), 2, True)
HOST = HostSample(1, 2, 4, 5, 6, 7, 8, 9, 0.25)
JOB = JobSample(3, 6, 7, 8.5, (("R", 1), ("S", 2)))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    samples = [
        Sample(1e9, 0.0),
        Sample(1e9 + 1, 1.0, (GPU, GpuSample(4)), HOST, JOB),
    ]
    writer = Samples(str(tmp_path))
    for sample in samples:
        writer.write(sample)
    assert list(read_samples(str(tmp_path))) == samples


def test_old_ones_get_fewer_and_the_space_is_bounded(tmp_path: Path) -> None:
    writer = Samples(str(tmp_path), ((1.0, 60), (10.0, 30), (60.0, 1000)))
    for second in range(5000):
        writer.write(Sample(1e9 + second, float(second)))
    found = [sample.after_s for sample in read_samples(str(tmp_path))]
    assert found[-60:] == [float(second) for second in range(4940, 5000)]
    assert found[0] == 0.0
    assert len(found) < 60 * 2 + 30 * 2 + 5000 / 60 + 2
    assert max(after - before for before, after in itertools.pairwise(found)) <= 60.0


@given(st.integers(0, 400), st.binary(max_size=20))
def test_a_file_that_is_cut_off(tmp_path_factory, at: int, rubbish: bytes) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("samples")
    writer = Samples(str(folder))
    for second in range(3):
        writer.write(Sample(1e9 + second, float(second), (GPU,)))
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:at] + rubbish)
    assert len(read_samples(str(folder))) <= 3


@given(st.binary(max_size=80) | st.sampled_from([b"{}", b"[]", b"1", b'{"at_s": 1, "after_s": "x"}', b"[" * 100_000]))
def test_any_line(line: bytes) -> None:
    sample_from_json(line)

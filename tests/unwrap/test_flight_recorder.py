"""Dumps of PyTorch's flight recorder, as pickle and as JSON; a pickle can do nothing."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain
from logsense.sources.find import resolve
from logsense.sources.folder import logs_in
from logsense.unwrap.flight_recorder import load_plain_pickle
from logsense.util.errors import InputError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.lists(inner).map(tuple),
    max_leaves=20,
)


def dump(enqueued: int, completed: int, size: int = 7, op: str = "nccl:all_reduce") -> dict[str, object]:
    """What a rank dumps that has called so many collectives, as torch 2.13 writes it."""
    frames = [
        {
            "name": "all_reduce",
            "filename": "/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py",
            "line": 3245,
        },
        {"name": "sync_metrics", "filename": "/home/u/train.py", "line": 88},
    ]
    entries = [
        {
            "frames": frames, "record_id": number, "pg_id": 0, "process_group": ("0", "default_pg"),
            "collective_seq_id": number, "p2p_seq_id": 0, "op_id": number, "profiling_name": op,
            "time_created_ns": 1795248755157890368, "input_sizes": [[size]], "input_dtypes": ["Float"],
            "output_sizes": [[size]], "output_dtypes": ["Float"], "state": "scheduled",
            "time_discovered_started_ns": None, "retired": number <= completed, "timeout_ms": 8000, "is_p2p": False,
        }
        for number in range(1, enqueued + 1)
    ]  # fmt: skip
    status = {
        "last_enqueued_collective": enqueued,
        "last_started_collective": -1,
        "last_completed_collective": completed,
    }
    return {
        "version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}},
        "pg_status": {"0": status}, "entries": entries,
    }  # fmt: skip


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_the_rank_that_is_behind(tmp_path: Path, form: str) -> None:
    for rank, enqueued in enumerate((6, 5, 6)):
        data = dump(enqueued, 5)
        raw = pickle.dumps(data, protocol=2) if form == "pickle" else json.dumps(data).encode()
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(raw)
    report = explain(logs_in(str(tmp_path)), load_catalog())
    assert report.diagnoses[0].cause == "distributed.collective-timeout"
    assert [one.rank for one in report.culprits] == [1]
    assert "/home/u/train.py:88" in report.diagnoses[0].evidence[0].says


@pytest.mark.parametrize("other", [{"size": 9}, {"op": "nccl:broadcast"}])
def test_the_rank_that_called_something_else(tmp_path: Path, other: dict[str, object]) -> None:
    for rank in range(4):
        told = dump(6, 5, **other) if rank == 2 else dump(6, 5)  # type: ignore[arg-type]
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(told, protocol=2))
    report = explain(logs_in(str(tmp_path)), load_catalog())
    assert report.diagnoses[0].cause == "distributed.collective-desync"
    assert [one.rank for one in report.culprits] == [2]


def test_a_dump_in_which_all_finished_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "nccl_trace_rank_0").write_bytes(pickle.dumps(dump(6, 6), protocol=2))
    report = explain(logs_in(str(tmp_path)), load_catalog())
    assert report.diagnoses == ()


@given(PLAIN, st.integers(3, pickle.HIGHEST_PROTOCOL))
def test_plain_values_are_read_as_they_were_written(value: object, protocol: int) -> None:
    assert load_plain_pickle(pickle.dumps(value, protocol=protocol)) == value


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("echo it ran > evidence",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_names_code_is_refused(protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="more than plain values"):
        load_plain_pickle(pickle.dumps({"pg_config": {}, "entries": [Evil()]}, protocol=protocol))
    assert not (tmp_path / "evidence").exists()


@given(st.binary(max_size=200), st.sampled_from([b"", b"\x80\x02", pickle.dumps(dump(2, 1), protocol=2)[:90]]))
def test_any_bytes_give_a_value_or_a_reason(data: bytes, front: bytes) -> None:
    with contextlib.suppress(ValueError):
        load_plain_pickle(front + data)


def test_a_cut_dump_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "nccl_trace_rank_0"
    path.write_bytes(pickle.dumps(dump(6, 5), protocol=2)[:-40])
    with pytest.raises(InputError, match="broken"):
        explain(resolve([str(path)], stdin=BytesIO()), load_catalog())

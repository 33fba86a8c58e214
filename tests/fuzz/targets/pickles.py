"""Dumps of PyTorch's flight recorder, as pickles and JSON: plain values or a one-sentence error, and never code."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress

from logsense.unwrap.flight_recorder import Dump, begins, load_plain_pickle

ENTRY = {
    "process_group": ("0", "default_pg"),
    "collective_seq_id": 7,
    "profiling_name": "nccl:all_reduce",
    "state": "started",
    "input_sizes": [[4, 8]],
    "time_created_ns": 1_763_632_800_000_000_000,
    "timeout_ms": 600_000,
    "frames": [{"name": "step", "filename": "train.py", "line": 12}],
}
DUMP = {
    "version": "2.9",
    "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
    "pg_status": {"0": {"last_enqueued_collective": 7, "last_started_collective": 7, "last_completed_collective": 6}},
    "entries": [ENTRY, {**ENTRY, "state": "completed", "collective_seq_id": 6}],
}


class _Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (_called, ("x",))


def _called(_: str) -> None:
    raise AssertionError("code of a pickle ran")


def seeds() -> list[bytes]:
    """Return dumps in every protocol, in JSON, and pickles that name code."""
    values = [DUMP, {**DUMP, "entries": [ENTRY] * 40}, [DUMP], {"pg_status": None, "entries": [1, "x", None, ()]}]
    found = [pickle.dumps(value, protocol) for value in values for protocol in range(2, 6)]
    found += [json.dumps(value).encode() for value in values]
    found += [pickle.dumps({**DUMP, "entries": [_Evil()]}, protocol) for protocol in range(2, 6)]
    return found


def run(data: bytes) -> None:
    """Read `data` as such a dump."""
    begins(data)
    with suppress(ValueError):
        load_plain_pickle(data)
    dump = Dump()
    assert dump.feed(data) + dump.finish() == b"" or not dump.error

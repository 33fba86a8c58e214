"""Store samples as one JSON object a line: every second of the last minutes, and sparser further back.

Each level has two files and overwrites the older one when the newer one is full, so its size is bounded.
"""

from __future__ import annotations

import json
import os
from typing import Any

from logsense.model.run import GpuSample, Holder, HostSample, JobSample, Sample
from logsense.util.files import AS_BYTES, listed

# (seconds between samples, samples in a file): ten to twenty minutes, two to four hours, and then a month.
LEVELS = ((1.0, 600), (10.0, 720), (60.0, 21_600))


class Samples:
    """Write samples to the run folder `path`. Raise OSError."""

    def __init__(self, path: str, levels: tuple[tuple[float, int], ...] = LEVELS) -> None:
        self._path, self._levels = path, levels
        self._next_s = [0.0] * len(levels)
        self._counts = [0] * len(levels)
        self._files = [0] * len(levels)

    def write(self, sample: Sample) -> None:
        """Add a sample to every level for which it is due."""
        line = (json.dumps(sample_to_json(sample)) + "\n").encode()
        for level, (every_s, most) in enumerate(self._levels):
            if sample.after_s < self._next_s[level]:
                continue
            self._next_s[level] = sample.after_s + every_s * 0.999
            if self._counts[level] >= most:
                self._files[level] ^= 1
                self._counts[level] = 0
            flags = os.O_WRONLY | os.O_CREAT | AS_BYTES | (os.O_APPEND if self._counts[level] else os.O_TRUNC)
            fd = os.open(os.path.join(self._path, f"samples-{level}{'ab'[self._files[level]]}.jsonl"), flags, 0o600)
            try:
                os.write(fd, line)
                if level == 0:
                    sync(fd)
            finally:
                os.close(fd)
            self._counts[level] += 1


def read_samples(path: str) -> tuple[Sample, ...]:
    """Return all samples in the run folder `path`, sorted by time, without truncated or foreign lines."""
    found: dict[float, Sample] = {}
    for name in [name for name in listed(path) if name.startswith("samples-")]:
        try:
            with open(os.path.join(path, name), "rb") as file:
                lines = file.read().split(b"\n")
        except OSError:
            continue
        for line in lines:
            sample = sample_from_json(line)
            if sample:
                found[sample.after_s] = sample
    return tuple(found[at] for at in sorted(found))


def sample_to_json(sample: Sample) -> dict[str, Any]:
    """Return `sample` as plain data, without unknown values."""
    return {
        "at_s": round(sample.at_s, 3),
        "after_s": round(sample.after_s, 3),
        "gpus": [{**_known(gpu, GpuSample), "others": [list(one) for one in gpu.others]} for gpu in sample.gpus],
        "host": _known(sample.host, HostSample),
        "job": _known(sample.job, JobSample),
    }


def sample_from_json(line: bytes) -> Sample | None:
    """Return the sample in a line; None if it is not a sample."""
    try:
        data = json.loads(line)
        gpus = []
        for gpu in data.get("gpus", ()):
            fields = {key: value for key, value in gpu.items() if key in GpuSample._fields}
            fields["others"] = tuple(Holder(*one) for one in gpu.get("others", ()))
            fields["throttled"] = tuple(gpu.get("throttled", ()))
            gpus.append(GpuSample(**fields))
        host = {key: value for key, value in data.get("host", {}).items() if key in HostSample._fields}
        job = {key: value for key, value in data.get("job", {}).items() if key in JobSample._fields}
        job["states"] = tuple((str(state), int(count)) for state, count in job.get("states", ()))
        at_s, after_s = float(data["at_s"]), float(data["after_s"])
        return Sample(at_s, after_s, tuple(gpus), HostSample(**host), JobSample(**job))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _known(values: Any, kind: Any) -> dict[str, Any]:
    default = kind._field_defaults
    return {key: value for key, value in values._asdict().items() if key not in default or value != default[key]}


def sync(fd: int) -> None:
    """Write what is buffered of the file `fd` to the disk."""
    try:
        getattr(os, "fdatasync", os.fsync)(fd)
    except OSError:
        pass  # unsupported by the file system; the operating system has the data anyway

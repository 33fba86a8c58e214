"""Sample the host within `logsense run` itself, in case its second process is late on a busy machine."""

from __future__ import annotations

import time

from logsense.machine.host.cgroup import read_cgroup
from logsense.machine.host.kernel_log import kernel_lines
from logsense.machine.host.read import sample_host
from logsense.model.run import HostSample, RecordedRun, Sample


def first_host_sample(began_s: float) -> Sample | None:
    """Sample the job's control group just after the job began; None if it has no counters.

    `began_s` is when the job began, by the monotonic clock. This takes about a millisecond.
    """
    try:
        group = read_cgroup()
    except (OSError, ValueError):
        return None
    if group is None or group.oom_kills is None:
        return None
    host = HostSample(
        cgroup_limit_bytes=group.limit_bytes, cgroup_used_bytes=group.used_bytes, cgroup_oom_kills=group.oom_kills
    )
    return Sample(time.time(), time.monotonic() - began_s, host=host)


def with_host_samples(found: RecordedRun, first: Sample | None, began_s: float) -> RecordedRun:
    """Return `found` with the first sample, and a current one if the second process took its last too early."""
    samples = found.samples
    if first and (not samples or first.after_s < samples[0].after_s):
        samples = (first, *samples)
    if not found.samples or found.samples[-1].after_s < (found.after_s or 0.0):
        last = _host()
        if last:
            samples = (*samples, Sample(time.time(), time.monotonic() - began_s, host=last))
        found = found._replace(kernel_log=found.kernel_log or _kernel(time.monotonic() - began_s + 1.0))
    return found._replace(samples=samples)


def _host() -> HostSample | None:
    try:
        return sample_host()
    except Exception:  # noqa: BLE001 - the run is explained without
        return None


def _kernel(since_s: float) -> bytes:
    try:
        return kernel_lines(since_s)
    except Exception:  # noqa: BLE001
        return b""

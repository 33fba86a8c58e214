"""Turn the samples of a run into facts for rules, and into plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from time import localtime, strftime

from logsense.model.live import Live, LiveFact, Series
from logsense.model.run import GpuSample, HostSample, RecordedRun, Sample
from logsense.recorder.trends import climb, extremes, idle_s, sudden_rise

LAST_S = 60.0
THROTTLE_S = 600.0
IDLE = 0.02
LEAST_IDLE_S = 20.0
KERNEL_S = 180.0
LEAST_RISE_BYTES = 64 << 20
POINTS = 240
NVML, HOST, JOB = "NVML, recorded", "the host, recorded", "the job's processes, recorded"


def live_of(run: RecordedRun) -> Live:
    """Return everything recorded about `run` besides its output."""
    last = run.samples[-1] if run.samples else None
    end_s = last.at_s if last else run.at_s + (run.after_s or 0.0)
    end = strftime("%Y-%m-%d %H:%M:%S", localtime(end_s))
    looked = f"recorded on {run.host or 'this machine'} until {end}"
    stated = {name: LiveFact(value, "this machine, when the run began") for name, value in run.stated.items()}
    facts = {**stated, **facts_of(run.samples)}
    if run.ended is None and not run.running and not run.closed:
        facts["ended.unseen"] = LiveFact(True, "the recorder")
    if run.rank:
        facts["job.rank"] = LiveFact(run.rank.number, "the launcher")
    if run.rebooted:
        facts["host.restarted"] = LiveFact(True, HOST)
    return Live(looked, facts, run.ended, series_of(run.samples), _last_minutes(run.kernel_log, end_s), run.own)


def facts_of(samples: Sequence[Sample]) -> dict[str, LiveFact]:
    """Return the facts that `samples`, sorted by time, show, under their names in rules/_facts/recorded.yaml."""
    if not samples:
        return {}
    number = _fullest(samples)
    found = [(NVML, _gpu_memory(samples, number))] if number is not None else []
    found += [(NVML, _gpu_health(samples)), (HOST, _host(samples)), (JOB, _job(samples))]
    known = ((name, LiveFact(value, source)) for source, facts in found for name, value in facts.items())
    return {name: fact for name, fact in known if fact.value is not None}


def series_of(samples: Sequence[Sample]) -> tuple[Series, ...]:
    """Return the plots that illustrate families of causes."""
    shown = []
    number = _fullest(samples)
    if number is not None:
        total = _gpu_last(samples, number).memory_total_bytes
        used = _gpu_points(samples, number, lambda gpu: gpu.memory_used_bytes)
        busy = _gpu_points(samples, number, lambda gpu: gpu.utilisation)
        heat = _gpu_points(samples, number, lambda gpu: gpu.temperature_celsius)
        shown.append(Series(f"Memory of GPU {number}", "bytes", _thin(used), total, ("gpu-memory",)))
        shown.append(Series(f"Use of GPU {number}", "ratio", _thin(busy), 1.0, ("data", "distributed")))
        shown.append(Series(f"Temperature of GPU {number} in °C", "float", _thin(heat), None, ("hardware",)))
    limit = memory_of(samples[-1].host)[1] if samples else None
    used = _host_points(samples)
    shown.append(Series("Host memory in use", "bytes", _thin(used), limit, ("host-memory",)))
    return tuple(one for one in shown if len(one.points) > 1)


def _gpu_memory(samples: Sequence[Sample], number: int) -> dict[str, object]:
    used = _gpu_points(samples, number, lambda gpu: gpu.memory_used_bytes)
    total = _gpu_last(samples, number).memory_total_bytes
    facts: dict[str, object] = {"gpu.watched": number}
    if not used:
        return facts
    peak = max(value for _, value in used)
    facts["gpu.memory_peak"] = peak
    if total:
        facts["gpu.memory_peak_share"] = peak / total
        facts["gpu.memory_last_share"] = max(value for _, value in _last(used)) / total
    growth = climb(used, total)
    if growth:
        facts["gpu.memory_climb"], facts["gpu.memory_climb_for"] = growth.per_minute, growth.for_s
    return facts | _others(samples, number)


def _others(samples: Sequence[Sample], number: int) -> dict[str, object]:
    """Return facts on the memory of other processes on this GPU, as the driver lists them."""
    held = _gpu_points(samples, number, lambda gpu: sum(one.memory_used_bytes for one in gpu.others))
    if not held or not max(value for _, value in held):
        return {}
    facts: dict[str, object] = {"gpu.others_peak": max(value for _, value in held)}
    last = max((value for _, value in _last(held)), default=0.0)
    if last:
        facts["gpu.others_used"] = last
    rise = sudden_rise(held, LAST_S)
    if rise and rise[0] >= LEAST_RISE_BYTES:
        facts["gpu.others_rise"], facts["gpu.others_rise_before"] = rise
    largest = max(
        (one for sample in _tail(samples) for gpu in sample.gpus if gpu.number == number for one in gpu.others),
        key=lambda one: one.memory_used_bytes,
        default=None,
    )
    if largest:
        facts["gpu.others_name"], facts["gpu.others_pid"] = largest.name, largest.pid
    return facts


def _gpu_health(samples: Sequence[Sample]) -> dict[str, object]:
    ours = _ours(samples)
    seen = [gpu for sample in samples for gpu in sample.gpus if gpu.number in ours]
    if not seen:
        return {}
    facts: dict[str, object] = {}
    heat = [gpu.temperature_celsius for gpu in seen if gpu.temperature_celsius is not None]
    if heat:
        facts["gpu.temperature_peak"] = max(heat)
    recent = _tail(samples, THROTTLE_S)
    held = [
        sorted({reason for gpu in sample.gpus if gpu.number in ours for reason in gpu.throttled}) for sample in recent
    ]
    if any(held):
        facts["gpu.throttled_by"] = ", ".join(sorted({reason for reasons in held for reason in reasons}))
        facts["gpu.throttled_share"] = sum(bool(reasons) for reasons in held) / len(held)
    counted: dict[int, list[int]] = {}
    for gpu in seen:
        if gpu.ecc_uncorrected is not None:
            counted.setdefault(gpu.number, []).append(gpu.ecc_uncorrected)
    rise = sum(max(counts[-1] - counts[0], 0) for counts in counted.values())
    if rise:
        facts["gpu.ecc_rise"] = rise
    if any(gpu.lost for gpu in samples[-1].gpus if gpu.number in ours):
        facts["gpu.gone"] = True
    # Only GPUs on which the job holds memory show whether it is idle.
    busy = [
        (sample.after_s, max(used))
        for sample in samples
        if (used := [gpu.utilisation for gpu in sample.gpus if gpu.utilisation is not None and gpu.ours_bytes])
    ]
    idle = idle_s(busy, IDLE)
    if idle >= LEAST_IDLE_S:
        facts["gpu.idle_for"] = idle
    return facts


def _host(samples: Sequence[Sample]) -> dict[str, object]:
    facts: dict[str, object] = {}
    last = samples[-1].host
    kills = [one.host.cgroup_oom_kills for one in samples if one.host.cgroup_oom_kills is not None]
    # The counter restarts if the job changes its group.
    killed = sum(max(later - count, 0) for count, later in pairwise(kills))
    if killed:
        facts["host.oom_kills_seen"], facts["host.cgroup_alone"] = killed, last.cgroup_alone
    _, limit, by = memory_of(samples[-1].host)
    used = _host_points(samples)
    if limit and used:
        peak = max(value for _, value in _last(used))
        facts |= {"host.memory_limit": limit, "host.memory_limited_by": by, "host.memory_peak": peak}
        facts["host.memory_peak_share"] = peak / limit
        growth = climb(used, limit)
        if growth:
            facts["host.memory_climb"], facts["host.memory_climb_for"] = growth.per_minute, growth.for_s
    pressures = [one.host.memory_pressure for one in _tail(samples) if one.host.memory_pressure is not None]
    if pressures:
        facts["host.memory_pressure"] = max(pressures)
    if last.shm_total_bytes and last.shm_free_bytes is not None:
        facts["shm.used_share"] = 1 - last.shm_free_bytes / last.shm_total_bytes
    free = [one.host.disk_free_bytes for one in _tail(samples) if one.host.disk_free_bytes is not None]
    if free:
        facts["disk.free_last"] = min(free)
        facts["disk.fullest"] = next(
            one.host.disk_folder for one in reversed(_tail(samples)) if one.host.disk_free_bytes == min(free)
        )
    return facts


def _job(samples: Sequence[Sample]) -> dict[str, object]:
    alive = [one for one in samples if one.job.processes]
    if not alive:
        return {}
    held = [one.job.rss_bytes for one in alive if one.job.rss_bytes is not None]
    largest = [one.job.largest_rss_bytes for one in alive if one.job.largest_rss_bytes is not None]
    facts: dict[str, object] = {
        "job.rss_peak": max(held, default=None),
        "job.largest_rss": max(largest, default=None),
        "job.processes_last": alive[-1].job.processes,
        "job.waiting_for_device": dict(alive[-1].job.states).get("D"),
        "job.open_files_share": alive[-1].job.open_files_share,
        "job.address_space_share": alive[-1].job.address_space_share,
    }
    recent = _tail(alive)
    used = [(one.after_s, one.job.cpu_s) for one in recent if one.job.cpu_s is not None]
    if len(used) > 1 and used[-1][0] > used[0][0]:
        # The sum excludes children that have ended, so a decrease means nothing.
        facts["job.cores_busy"] = max((used[-1][1] - used[0][1]) / (used[-1][0] - used[0][0]), 0.0)
    return facts


def memory_of(host: HostSample) -> tuple[int | None, int | None, str]:
    """Return how much memory of `host` is used and may be, in bytes (None: unknown), and what limits it."""
    if host.cgroup_limit_bytes and host.cgroup_used_bytes is not None:
        return host.cgroup_used_bytes, host.cgroup_limit_bytes, "the cgroup of the job or container"
    if host.ram_total_bytes is None or host.ram_available_bytes is None:
        return None, host.ram_total_bytes, "the machine"
    return host.ram_total_bytes - host.ram_available_bytes, host.ram_total_bytes, "the machine"


def _fullest(samples: Sequence[Sample]) -> int | None:
    """Return the GPU on which the job holds most memory; if unknown, the fullest one."""
    most: dict[int, tuple[float, float]] = {}
    for sample in samples:
        for gpu in sample.gpus:
            share = (gpu.memory_used_bytes or 0) / (gpu.memory_total_bytes or 1)
            ours, used = most.get(gpu.number, (0.0, 0.0))
            most[gpu.number] = (max(ours, float(gpu.ours_bytes or 0)), max(used, share))
    return max(most, key=lambda number: (most[number], -number)) if most else None


def _ours(samples: Sequence[Sample]) -> set[int]:
    """Return the GPUs on which the job held memory; all if the driver lists no processes."""
    seen = [gpu for sample in samples for gpu in sample.gpus]
    is_known = any(gpu.ours_bytes is not None for gpu in seen)
    return {gpu.number for gpu in seen if gpu.ours_bytes or not is_known}


def _gpu_last(samples: Sequence[Sample], number: int) -> GpuSample:
    return [gpu for sample in samples for gpu in sample.gpus if gpu.number == number][-1]


def _gpu_points(
    samples: Sequence[Sample], number: int, value_of: Callable[[GpuSample], float | None]
) -> list[tuple[float, float]]:
    return [
        (sample.after_s, float(value))
        for sample in samples
        for gpu in sample.gpus
        if gpu.number == number and (value := value_of(gpu)) is not None
    ]


def _host_points(samples: Sequence[Sample]) -> list[tuple[float, float]]:
    """Return the host memory in use."""
    return [(one.after_s, float(used)) for one in samples if (used := memory_of(one.host)[0]) is not None]


def _tail(samples: Sequence[Sample], within_s: float = LAST_S) -> list[Sample]:
    return [one for one in samples if samples[-1].after_s - one.after_s <= within_s]


def _last(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [one for one in points if points[-1][0] - one[0] <= LAST_S]


def _last_minutes(lines: bytes, end_s: float) -> bytes:
    """Return the lines of a kernel log from the last minutes; a line without a time belongs to the one before."""
    kept, recent = [], False
    for line in lines.splitlines(keepends=True):
        stamp = line.split(b" ", 1)[0].decode("ascii", "replace").replace(",", ".")
        try:
            recent = datetime.fromisoformat(stamp).timestamp() >= end_s - KERNEL_S
        except ValueError:
            pass
        if recent:
            kept.append(line)
    return b"".join(kept)


def _thin(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Reduce `points` to at most POINTS: the highest in each part of the time."""
    return tuple(points) if len(points) <= POINTS else tuple(extremes(points, POINTS, max))

"""Read the state of this machine: for a log written here just now, for a whole run, or for a bug report."""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence

from logsense.machine.environment.read import environment_facts, read_environment
from logsense.machine.gpu.read import gpu_facts, read_gpus
from logsense.machine.host.kernel_log import KernelLog, kernel_lines
from logsense.machine.host.processes import shares_of_limits, tree
from logsense.machine.host.read import host_facts, read_host, sample_host
from logsense.machine.job_resources import JobResources
from logsense.machine.open_files import pipe_writers_of
from logsense.model.live import Live, LiveFact
from logsense.model.machine import Driver, Environment, Gpu
from logsense.model.values import show_bytes

LIMIT_S = 4.0
KERNEL_S = 180.0
# Facts that count only for a GPU that the job is known to use.
HEALTH = frozenset(
    {"gpu.gone", "gpu.throttled_by", "ecc.uncorrectable", "recovery.action"}
    | {"remap.uncorrectable", "remap.pending", "remap.failed"}
)
# Facts that change while a job runs: a reading from its start says nothing about its end.
CHANGING = frozenset(
    {"host.available", "host.cgroup_used", "host.oom_kills", "shm.used_share", "disk.free_least", "disk.fullest"}
    | {"gpu.watched", "gpu.memory_free", "gpu.others_now", "gpu.temperature", "gpu.throttled_by", "gpu.gone"}
)
# Packages whose version may matter to a failed run, besides NVIDIA's.
_RELEVANT = (
    *("torch", "torchvision", "torchaudio", "triton", "xformers", "flash-attn", "bitsandbytes", "apex"),
    *("tensorflow", "keras", "jax", "jaxlib", "flax", "numpy", "transformers", "accelerate", "datasets", "tokenizers"),
    *("peft", "trl", "deepspeed", "megatron-core", "lightning", "pytorch-lightning", "ray", "vllm", "sglang"),
    *("safetensors", "huggingface-hub", "wandb", "mlflow"),
)
# Each update scans all processes of the machine, so a long job is updated less often.
FIRST_EVERY_S, LATER_EVERY_S, FIRST_S = 1.0, 10.0, 20.0
MOST_KERNEL_BYTES = 4 << 20


def read_machine(own_pids: Collection[int] = (), since_s: float = KERNEL_S, kernel: bytes | None = None) -> Live:
    """Read the state of GPUs and host, and the kernel's log of the last `since_s` seconds.

    `own_pids` are the job's processes; `kernel` is the kernel's log if it was already read. Never raises; takes at most
    a few seconds if the driver hangs.
    """
    host = _facts("the host, now", lambda: host_facts(read_host(limit_s=LIMIT_S)))
    gpus = _facts("NVML, now", lambda: _gpu_facts(own_pids))
    resources = JobResources()
    try:
        resources.update(own_pids)
        kernel = kernel_lines(since_s) if kernel is None else kernel
    except Exception:  # noqa: BLE001
        kernel = kernel or b""
    return Live("this machine, now", {**host, **gpus}, kernel_log=kernel, own=resources.own)


def _gpu_facts(own_pids: Collection[int]) -> dict[str, object]:
    driver, gpus = read_gpus(own_pids, LIMIT_S)
    ours = [gpu for gpu in gpus if any(one.owner == "ours" for one in gpu.processes or ())]
    facts = gpu_facts(driver, ours or gpus)
    return facts if ours else {name: value for name, value in facts.items() if name not in HEALTH}


def constant_facts(command: Sequence[str]) -> dict[str, object]:
    """Return facts that hold for the whole run of `command`: versions, sizes and limits. Skips unreadable parts."""
    found = _facts("", lambda: environment_facts(read_environment(command)))
    found |= _facts("", lambda: host_facts(read_host()))
    found |= _facts("", lambda: gpu_facts(*read_gpus()))
    return {name: fact.value for name, fact in found.items() if name not in CHANGING}


def _facts(source: str, read: Callable[[], dict[str, object]]) -> dict[str, LiveFact]:
    """Return what `read` returns, as facts from `source`; none if it fails, since the other parts still count."""
    try:
        return {name: LiveFact(value, source) for name, value in read().items()}
    except Exception:  # noqa: BLE001
        return {}


def setup_rows() -> dict[str, str]:
    """Return labels and values that describe this machine and the job's Python. Never raises, imports no framework."""
    driver, gpus = read_gpus()
    return {name: value for name, value in _rows(read_environment(), driver, gpus) if value}


def _rows(environment: Environment, driver: Driver, gpus: tuple[Gpu, ...]) -> Iterator[tuple[str, str]]:
    yield "system", platform.platform()
    yield "driver", driver.problem or f"{driver.version or '?'}, CUDA up to {driver.cuda or '?'}"
    for gpu in gpus:
        memory = f", {show_bytes(gpu.memory_total_bytes)}" if gpu.memory_total_bytes else ""
        yield f"GPU {gpu.number}", f"{gpu.name or '?'}{memory}"
    if environment.interpreter:
        yield "Python", f"{environment.interpreter.version} ({environment.interpreter.kind})"
    for build in environment.builds:
        parts = [build.version, "for CPU only" if build.cpu_only else f"for CUDA {build.cuda}" if build.cuda else ""]
        parts.append(f"cuDNN {build.cudnn}" if build.cudnn else "")
        yield f"{build.name} version", ", ".join(part for part in parts if part)
    for name, package in environment.packages.items():
        if name in _RELEVANT or name.startswith("nvidia-"):
            yield f"{name} version", package.version
    for name, value in environment.tools.items():
        yield f"{name} version", value
    for name, value in environment.variables.items():
        yield f"${name}", value
    for number, problem in enumerate(environment.mixed, 1):
        yield f"problem {number}", problem


class PipeWatch:
    """Watch the processes that write to the standard input of process `pid`, in a thread, from now on."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._resources = JobResources()
        self._kernel = KernelLog(0.0)
        self._lines = b""
        self._shares: tuple[float | None, float | None] = (None, None)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        began_s = time.monotonic()
        every_s = 0.0
        while not self._ended.wait(every_s):
            try:
                self._update()
            except Exception:  # noqa: BLE001 - the log is explained without
                return
            every_s = FIRST_EVERY_S if time.monotonic() - began_s < FIRST_S else LATER_EVERY_S

    def _update(self) -> None:
        pids = {pid for feeder in pipe_writers_of(self._pid) for pid in tree(feeder)}
        self._resources.update(pids)
        self._shares = shares_of_limits(pids) if pids else self._shares
        self._lines = (self._lines + self._kernel.new_lines())[-MOST_KERNEL_BYTES:]

    def live(self) -> Live:
        """Stop watching, and return the state of the machine after the end of the job."""
        self._ended.set()
        self._thread.join(LIMIT_S)
        self._lines += self._kernel.last_lines()
        own = self._resources.own
        live = read_machine(own.pids, kernel=self._lines)
        names = ("job.open_files_share", "job.address_space_share")
        shares = {
            name: LiveFact(share, "the job's processes, before the end")
            for name, share in zip(names, self._shares, strict=True)
            if share is not None
        }
        return live._replace(own=own, facts={**live.facts, **self._disk(), **shares})

    def _disk(self) -> dict[str, LiveFact]:
        folders = self._resources.folders()
        host = sample_host(folders=folders) if folders else None
        if host is None or host.disk_free_bytes is None:
            return {}
        found = {"disk.free_last": host.disk_free_bytes, "disk.fullest": host.disk_folder}
        return {name: LiveFact(value, "the host, now") for name, value in found.items()}

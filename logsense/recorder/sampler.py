"""The recorder's second process: records the state of GPUs, host and job once a second, until its input ends.

A separate process, so that a hanging driver or a crashing library can't affect the job or its output. Its standard
input is a pipe that closes when the recorder ends, for whatever reason.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from logsense.machine.host.kernel_log import KernelLog
from logsense.machine.host.processes import sample_job, tree
from logsense.machine.host.read import sample_host
from logsense.machine.job_resources import JobResources
from logsense.machine.now import constant_facts
from logsense.model.live import Own
from logsense.model.run import GpuSample, HostSample, JobSample, Sample
from logsense.recorder.folder import KERNEL, MACHINE, OUTPUT, OWN, STARTED
from logsense.recorder.gpu_samples import GpuSampler
from logsense.recorder.output import pieces
from logsense.recorder.runs import prune
from logsense.recorder.samples import Samples, sync
from logsense.util.files import AS_BYTES, object_in, write_json

Value = TypeVar("Value")

EVERY_S = 1.0
# A job that ends at once does not justify reading the installed software.
FIRST_S = 0.3
MACHINE_S = 20.0  # time left for that reading after the end of the job
NICE = 10
# A reader that fails so often in a row is disabled.
MOST_FAILURES = 3


class Sampler:
    """Sample the job `pid` for the run folder `path`.

    `began_s` is when the job began, by the monotonic clock.
    """

    def __init__(self, path: str, pid: int, began_s: float) -> None:
        self._path, self._pid, self._began_s = path, pid, began_s
        self._failures: dict[str, int] = {}
        self._samples, self._gpus = Samples(path), GpuSampler()
        self._resources = JobResources()
        self._own: Own | None = None
        self._kernel: KernelLog | None = None

    def sample(self) -> Sample:
        """Return a sample of this moment, without what can't be read."""
        only_job: tuple[int, ...] = (self._pid,)
        own = self._try("pids", lambda: tree(self._pid), only_job)
        gpus: tuple[GpuSample, ...] = self._try("gpus", lambda: self._gpus.sample(own), ())
        # The job may have ended before its first sample.
        self._try("own", lambda: self._update_own(own or only_job, gpus), None)
        return Sample(
            at_s=time.time(),
            after_s=time.monotonic() - self._began_s,
            gpus=gpus,
            host=self._try("host", self._host, HostSample()),
            job=self._try("job", lambda: sample_job(self._pid), JobSample()),
        )

    def write(self) -> None:
        """Write a sample; ignore a full disk."""
        try:
            self._samples.write(self.sample())
            self._write_kernel_log(self._try("kernel", lambda: self._kernel_log().new_lines(), b""))
            _sync_newest(os.path.join(self._path, OUTPUT))
        except OSError:
            pass

    def write_machine(self) -> None:
        """Write what holds for the whole run: versions, sizes, limits."""
        nothing: list[str] = []
        unknown: dict[str, object] = {}
        command = self._try(
            "command", lambda: [str(word) for word in object_in(os.path.join(self._path, STARTED))["command"]], nothing
        )
        facts = self._try("machine", lambda: constant_facts(command), unknown)
        try:
            write_json(os.path.join(self._path, MACHINE), facts)
        except (OSError, ValueError, TypeError):
            pass

    def write_kernel_log(self) -> None:
        """Write the kernel's messages since the last call, or since the job began."""
        try:
            self._write_kernel_log(self._try("kernel", lambda: self._kernel_log().last_lines(), b""))
        except OSError:
            pass

    def _write_kernel_log(self, lines: bytes) -> None:
        if lines:
            with open(os.path.join(self._path, KERNEL), "ab") as file:
                file.write(lines)

    def _kernel_log(self) -> KernelLog:
        if self._kernel is None:
            self._kernel = KernelLog(time.monotonic() - self._began_s)
        return self._kernel

    def _update_own(self, pids: tuple[int, ...], gpus: tuple[GpuSample, ...]) -> None:
        self._resources.update(pids, gpus)
        own = self._resources.own
        if own != self._own:
            write_json(os.path.join(self._path, OWN), {name: sorted(value) for name, value in own._asdict().items()})
            self._own = own

    def _host(self) -> HostSample:
        host = sample_host(folders=self._resources.folders() or (".",))
        return host._replace(cgroup_oom_kills=self._resources.oom_kills(), cgroup_alone=self._resources.is_alone)

    def _try(self, name: str, read: Callable[[], Value], otherwise: Value) -> Value:
        if self._failures.get(name, 0) >= MOST_FAILURES:
            return otherwise
        try:
            value = read()
        except Exception:  # noqa: BLE001 - the other readers continue
            self._failures[name] = self._failures.get(name, 0) + 1
            return otherwise
        self._failures[name] = 0
        return value


def main(arguments: list[str]) -> None:
    """Sample the job until standard input ends. Arguments: FOLDER, PID, and the monotonic time when it began."""
    path, pid, began_s = arguments[0], int(arguments[1]), float(arguments[2])
    try:
        os.nice(NICE)  # type: ignore[attr-defined,unused-ignore]  # not on Windows
    except (OSError, AttributeError):
        pass
    ended = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=(ended,), daemon=True).start()
    sampler = Sampler(path, pid, began_s)
    due = time.monotonic()
    sampler.write()
    # Reading the installed software may take seconds on a busy machine; the last sample must not wait for it.
    installed = threading.Thread(target=sampler.write_machine, daemon=True)
    if not ended.wait(FIRST_S):
        installed.start()
    while True:
        due = max(due + EVERY_S, time.monotonic() + EVERY_S / 10)
        if ended.wait(due - time.monotonic()):
            break
        sampler.write()
    sampler.write()  # the counter of OOM kills is final only now
    sampler.write_kernel_log()
    if installed.ident:
        installed.join(MACHINE_S)
    prune(os.path.dirname(path))


def _wait_for_the_end(ended: threading.Event) -> None:
    # In a thread, since Windows can't wait for a pipe otherwise.
    try:
        while os.read(0, 1024):
            pass
    except OSError:
        pass
    ended.set()


def _sync_newest(folder: str) -> None:
    kept = pieces(folder)
    if kept:
        fd = os.open(kept[-1][0], os.O_RDONLY | AS_BYTES)
        try:
            sync(fd)
        finally:
            os.close(fd)

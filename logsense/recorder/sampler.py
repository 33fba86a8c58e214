"""The recorder's second process: once a second, writes down the state of GPUs, host and job, until its input ends.

It is a process of its own so that nothing that happens in it, a driver that hangs or a library that crashes, can touch
the job or its output. Its standard input is a pipe that ends when the recorder does, however that happens.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

from logsense.machine.host.kernel_log import KernelLog
from logsense.machine.host.processes import sample_job, tree
from logsense.machine.host.read import sample_host
from logsense.machine.now import lasting_facts
from logsense.machine.own import Belongings
from logsense.model.live import Own
from logsense.model.run import GpuSample, HostSample, JobSample, Sample
from logsense.recorder.folder import KERNEL, MACHINE, OUTPUT, OWN, STARTED, write_json
from logsense.recorder.gpu_samples import sample_gpus
from logsense.recorder.runs import prune
from logsense.recorder.samples import Samples
from logsense.util.files import AS_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Value = TypeVar("Value")

EVERY_S = 1.0
# A job that is over at once is not worth a look at all that is installed.
FIRST_S = 0.3
MACHINE_S = 20.0  # what is left of that look when the job has ended
NICE = 10
# A reader that fails so often in a row has nothing to tell on this machine.
PATIENCE = 3


class Sampler:
    """Takes samples of the job `pid`, which the run folder `path` is for."""

    def __init__(self, path: str, pid: int, began: float) -> None:
        self._path, self._pid, self._began = path, pid, began
        self._failures: dict[str, int] = {}
        self._samples = Samples(path)
        self._belongings: Belongings | None = None
        self._own: Own | None = None
        self._kernel: KernelLog | None = None

    def take(self) -> Sample:
        """A sample of this moment; what can't be read is left out."""
        nobody: tuple[int, ...] = (self._pid,)
        own = self._try("pids", self._pids, nobody)
        gpus: tuple[GpuSample, ...] = self._try("gpus", lambda: _gpus(own), ())
        # The job itself may have ended before anybody could look.
        self._try("own", lambda: self._look_at_own(own or nobody, gpus), None)
        return Sample(
            at_s=time.time(),
            after_s=time.monotonic() - self._began,
            gpus=gpus,
            host=self._try("host", self._host, HostSample()),
            job=self._try("job", lambda: _job(self._pid), JobSample()),
            log_bytes=_size(os.path.join(self._path, OUTPUT)),
        )

    def write(self) -> None:
        """Takes a sample and writes it down; a full disk is no reason to stop."""
        try:
            self._samples.write(self.take())
            self._write_kernel_log(self._try("kernel", lambda: self._listening().new_lines(), b""))
            _sync_newest(os.path.join(self._path, OUTPUT))
        except OSError:
            pass

    def write_machine(self) -> None:
        """Writes down what holds for the whole run: versions, sizes, limits."""
        nothing: list[str] = []
        unknown: dict[str, object] = {}
        command = self._try("command", lambda: _command(self._path), nothing)
        facts = self._try("machine", lambda: _facts(command), unknown)
        try:
            write_json(os.path.join(self._path, MACHINE), facts)
        except (OSError, ValueError, TypeError):
            pass

    def write_kernel_log(self) -> None:
        """Writes down what the kernel said since the job began, and was not written down yet."""
        try:
            self._write_kernel_log(self._try("kernel", lambda: self._listening().last_lines(), b""))
        except OSError:
            pass

    def _write_kernel_log(self, lines: bytes) -> None:
        if lines:
            with open(os.path.join(self._path, KERNEL), "ab") as file:
                file.write(lines)

    def _listening(self) -> KernelLog:
        if self._kernel is None:
            self._kernel = KernelLog(time.monotonic() - self._began)
        return self._kernel

    def _look_at_own(self, pids: tuple[int, ...], gpus: tuple[GpuSample, ...]) -> None:
        if self._belongings is None:
            self._belongings = Belongings()
        self._belongings.look(pids, gpus)
        own = self._belongings.own
        if own != self._own:
            write_json(os.path.join(self._path, OWN), {name: sorted(value) for name, value in own._asdict().items()})
            self._own = own

    def _host(self) -> HostSample:
        if self._belongings is None:
            return sample_host()
        host = sample_host(folders=self._belongings.folders() or (".",))
        return host._replace(cgroup_oom_kills=self._belongings.kills(), cgroup_alone=self._belongings.is_alone)

    def _pids(self) -> tuple[int, ...]:
        return tree(self._pid)

    def _try(self, name: str, read: Callable[[], Value], otherwise: Value) -> Value:
        if self._failures.get(name, 0) >= PATIENCE:
            return otherwise
        try:
            value = read()
        except Exception:  # noqa: BLE001 - whatever a reader meets, the others go on
            self._failures[name] = self._failures.get(name, 0) + 1
            return otherwise
        self._failures[name] = 0
        return value


def main(arguments: list[str]) -> None:
    """Samples the job until standard input ends: FOLDER, PID, and the steady clock's time when it began."""
    path, pid, began = arguments[0], int(arguments[1]), float(arguments[2])
    try:
        os.nice(NICE)  # type: ignore[attr-defined,unused-ignore]  # not on Windows
    except (OSError, AttributeError):
        pass
    ended = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=(ended,), daemon=True).start()
    sampler = Sampler(path, pid, began)
    due = time.monotonic()
    sampler.write()
    # What is installed takes long to look at, on a busy machine for seconds; the last sample must not wait for it.
    installed = threading.Thread(target=sampler.write_machine, daemon=True)
    if not ended.wait(FIRST_S):
        installed.start()
    while True:
        due = max(due + EVERY_S, time.monotonic() + EVERY_S / 10)
        if ended.wait(due - time.monotonic()):
            break
        sampler.write()
    sampler.write()  # what the kernel counted when it killed the job stands there only now
    sampler.write_kernel_log()
    if installed.ident:
        installed.join(MACHINE_S)
    prune(os.path.dirname(path))


def _wait_for_the_end(ended: threading.Event) -> None:
    # A thread, as Windows has nothing else that waits for a pipe.
    try:
        while os.read(0, 1024):
            pass
    except OSError:
        pass
    ended.set()


def _gpus(own: tuple[int, ...]) -> tuple[GpuSample, ...]:
    return sample_gpus(own)


def _job(pid: int) -> JobSample:
    return sample_job(pid)


def _command(path: str) -> list[str]:
    import json

    with open(os.path.join(path, STARTED), encoding="utf-8") as file:
        return [str(word) for word in json.load(file)["command"]]


def _facts(command: list[str]) -> dict[str, object]:
    return lasting_facts(command)


def _newest(folder: str) -> str:
    names = sorted(name for name in os.listdir(folder) if name.replace("-", "").isdigit())
    return os.path.join(folder, names[-1]) if names else ""


def _size(folder: str) -> int:
    try:
        newest = _newest(folder)
        return int(os.path.basename(newest).partition("-")[0]) + os.stat(newest).st_size if newest else 0
    except (OSError, ValueError):
        return 0


def _sync_newest(folder: str) -> None:
    newest = _newest(folder)
    if newest:
        fd = os.open(newest, os.O_RDONLY | AS_BYTES)
        try:
            getattr(os, "fdatasync", os.fsync)(fd)
        finally:
            os.close(fd)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Watches a job in a pipe while it runs: what belongs to it, and what the kernel logs."""

from __future__ import annotations

import time

from logsense.machine.host.kernel_log import KernelLog
from logsense.machine.host.processes import tree
from logsense.machine.host.read import sample_host
from logsense.machine.job_resources import JobResources
from logsense.machine.now import read_machine
from logsense.machine.open_files import pipe_writers_of
from logsense.model.live import Live, LiveFact

# Each update scans all processes of the machine, so a long job is updated less often.
FIRST_EVERY_S, LATER_EVERY_S, FIRST_S = 1.0, 10.0, 20.0
MOST_KERNEL_BYTES = 4 << 20


class PipeWatch:
    """Watches the processes that write to the standard input of process `pid`."""

    def __init__(self, pid: int | str = "self") -> None:
        self._pid = pid
        self._began = time.monotonic()
        self._due = self._began
        self._resources = JobResources()
        self._kernel = KernelLog(0.0)
        self._lines = b""

    def update(self) -> None:
        """Update the state if it is time; call this repeatedly."""
        now = time.monotonic()
        if now < self._due:
            return
        self._resources.update({pid for feeder in pipe_writers_of(self._pid) for pid in tree(feeder)})
        self._read_kernel_log()
        self._due = time.monotonic() + (FIRST_EVERY_S if now - self._began < FIRST_S else LATER_EVERY_S)

    def live(self) -> Live:
        """Return the state of the machine after the end of the job."""
        self._lines += self._kernel.last_lines()
        own = self._resources.own
        live = read_machine(own.pids, kernel=self._lines)
        return live._replace(own=own, facts={**live.facts, **self._disk()})

    def _read_kernel_log(self) -> None:
        self._lines = (self._lines + self._kernel.new_lines())[-MOST_KERNEL_BYTES:]

    def _disk(self) -> dict[str, LiveFact]:
        folders = self._resources.folders()
        host = sample_host(folders=folders) if folders else None
        if host is None or host.disk_free_bytes is None:
            return {}
        found = {"disk.free_last": host.disk_free_bytes, "disk.fullest": host.disk_folder}
        return {name: LiveFact(value, "the host, now") for name, value in found.items()}

"""Watches a job from beside while it runs, for who explains it in the end: what is its own, what the kernel says."""

from __future__ import annotations

import time

from logsense.machine.host.kernel_log import KernelLog
from logsense.machine.host.processes import tree
from logsense.machine.host.read import sample_host
from logsense.machine.now import look
from logsense.machine.open_files import feeders_of
from logsense.machine.own import Belongings
from logsense.model.live import Live, LiveFact

# All processes of the machine are looked through, so a job that goes on for long is looked at less often.
EVERY_S, SELDOM_S, OFTEN_S = 1.0, 10.0, 20.0
MOST_KERNEL_BYTES = 4 << 20


class PipeWatch:
    """Watches whoever holds the other end of what the process `pid` reads as its standard input."""

    def __init__(self, pid: int | str = "self") -> None:
        self._pid = pid
        self._began = time.monotonic()
        self._due = self._began
        self._belongings = Belongings()
        self._kernel = KernelLog(0.0)
        self._lines = b""

    def look(self) -> None:
        """Called now and then; looks where it is time to."""
        now = time.monotonic()
        if now < self._due:
            return
        self._belongings.look({pid for feeder in feeders_of(self._pid) for pid in tree(feeder)})
        self._hear()
        self._due = time.monotonic() + (EVERY_S if now - self._began < OFTEN_S else SELDOM_S)

    def live(self) -> Live:
        """What the machine shows now that the job has ended."""
        self._lines += self._kernel.last_lines()
        own = self._belongings.own
        live = look(own.pids, kernel=self._lines)
        return live._replace(own=own, facts={**live.facts, **self._disk()})

    def _hear(self) -> None:
        self._lines = (self._lines + self._kernel.new_lines())[-MOST_KERNEL_BYTES:]

    def _disk(self) -> dict[str, LiveFact]:
        folders = self._belongings.folders()
        host = sample_host(folders=folders) if folders else None
        if host is None or host.disk_free_bytes is None:
            return {}
        found = {"disk.free_last": host.disk_free_bytes, "disk.fullest": host.disk_folder}
        return {name: LiveFact(value, "the host, now") for name, value in found.items()}

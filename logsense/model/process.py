"""A process of a job at one moment, seen from outside."""

from __future__ import annotations

from logsense.model.noun import NamedTuple


class ProcessState(NamedTuple):
    """What a process does: `state` is the kernel's word for it, `waits_in` the place in the kernel where it sleeps.

    `cpu_share` is the share of one processor that it used over the time of the look. `stack` holds the innermost
    frames first: those of its Python code where a tool could read them, else of the kernel.
    """

    pid: int
    name: str
    command: str = ""
    state: str = ""
    waits_in: str = ""
    cpu_share: float | None = None
    threads: int | None = None
    rss_bytes: int | None = None
    stack: tuple[str, ...] = ()

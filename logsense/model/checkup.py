"""A check of a machine, step by step from the driver up."""

from __future__ import annotations

from logsense.model.live import Live
from logsense.model.report import Fix
from logsense.util.noun import NamedTuple


class Step(NamedTuple):
    """A step of the check.

    `state` is ok, failed, warned (it works, but something is unusual), unknown (it could not be checked; `says` gives
    the reason) or skipped (pointless after an earlier failure). `proof` are lines that show it. A failed step names its
    `cause`, or holds the `log` of what was tried, from which the cause is determined; `fixes` are those of the cause.
    """

    id: str
    title: str
    state: str
    says: str = ""
    proof: tuple[str, ...] = ()
    cause: str | None = None
    log: bytes = b""
    explanation: str = ""
    fixes: tuple[Fix, ...] = ()


class Checkup(NamedTuple):
    """All steps in order, the state of the machine, and the Python interpreter that was checked."""

    steps: tuple[Step, ...]
    live: Live | None = None
    interpreter: str | None = None

    @property
    def good(self) -> bool:
        """Whether nothing failed."""
        return all(step.state != "failed" for step in self.steps)

"""A check of a machine, step by step from the driver up."""

from __future__ import annotations

from logsense.model.live import Live
from logsense.model.report import Fix
from logsense.util.noun import NamedTuple

STATES = ("ok", "failed", "warned", "unknown", "skipped")


class Step(NamedTuple):
    """One step. `state` is ok, failed, warned (it works, and something is odd), unknown (it could not be checked,
    `says` tells why) or skipped (an earlier failure makes it pointless).

    `proof` are lines that show it. A failed step names the `cause` that explains it, or holds the `log` of what was
    tried, from which the cause is worked out; `fixes` are then those of that cause.
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
    """All steps in order, what the machine stated meanwhile, and the interpreter that was checked."""

    steps: tuple[Step, ...]
    live: Live | None = None
    interpreter: str | None = None

    @property
    def good(self) -> bool:
        """Whether nothing failed."""
        return all(step.state != "failed" for step in self.steps)

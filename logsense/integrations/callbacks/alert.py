"""The warning of a monitor."""

from __future__ import annotations

from logsense.util.noun import NamedTuple


class Alert(NamedTuple):
    """A problem: `kind` is loss, gradient, gpu-memory, host-memory, gpu or stall; `says` is a sentence or two; `step`
    is the last finished step, or None.
    """

    kind: str
    says: str
    step: int | None = None

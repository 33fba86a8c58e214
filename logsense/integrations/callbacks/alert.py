"""What a monitor says."""

from __future__ import annotations

from logsense.util.noun import NamedTuple


class Alert(NamedTuple):
    """Something that goes wrong: `kind` is loss, gradient, gpu-memory, host-memory, gpu or stall; `says` one plain
    sentence or two; `step` is the last step that was finished, or None.
    """

    kind: str
    says: str
    step: int | None = None

"""A run that was recorded."""

from __future__ import annotations

from types import MappingProxyType

from logsense.model.live import Own
from logsense.model.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from logsense.model.live import Ended
    from logsense.model.sample import Sample


class RecordedRun(NamedTuple):
    """What a run folder holds. Times are Unix times; `after_s` is how long it ran.

    `ended` is None where nobody saw the end: it still runs (`running`), or the recorder was killed with it
    (`rebooted`: because the machine was started anew), or only the end of its output was seen (`closed`), as in a
    pipe. `output` are the files that hold what it printed, in order,
    with the byte and the line that each begins at. `stated` are facts that held for the whole run.
    `own` is what was the job's on the machine.
    """

    name: str
    path: str
    command: tuple[str, ...]
    folder: str
    host: str
    at_s: float
    after_s: float | None = None
    ended: Ended | None = None
    running: bool = False
    rebooted: bool = False
    closed: bool = False
    samples: tuple[Sample, ...] = ()
    output: tuple[tuple[str, int, int], ...] = ()
    stated: Mapping[str, object] = MappingProxyType({})
    kernel_log: bytes = b""
    own: Own = Own()
    size_bytes: int = 0

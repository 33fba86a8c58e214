"""A look at this machine as it is now, for a log that is being written, or was just written, here."""

from __future__ import annotations

from logsense.machine.gpu import gpu_facts, read_gpus
from logsense.machine.host import host_facts, read_host
from logsense.machine.kernel_log import kernel_lines
from logsense.machine.own import Belongings
from logsense.model.live import Live, LiveFact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

LIMIT_S = 4.0
KERNEL_S = 180.0
# What counts only of a GPU that the job is known to use.
HEALTH = frozenset(
    {"gpu.gone", "gpu.throttled_by", "ecc.uncorrectable", "recovery.action"}
    | {"remap.uncorrectable", "remap.pending", "remap.failed"}
)


def look(own_pids: Collection[int] = (), since_s: float = KERNEL_S, kernel: bytes | None = None) -> Live:
    """What GPUs and host say now, and what the kernel said in the last `since_s` seconds.

    `own_pids` are the job's processes, `kernel` what the kernel said where somebody has listened.

    Never raises; takes at most some seconds, where the driver hangs.
    """
    facts: dict[str, LiveFact] = {}

    def take(source: str, read: Callable[[], dict[str, object]]) -> None:
        try:
            found = read()
        except Exception:  # noqa: BLE001 - one part that can't be read leaves the others
            return
        facts.update({name: LiveFact(value, source) for name, value in found.items()})

    take("the host, now", lambda: host_facts(read_host(limit_s=LIMIT_S)))
    take("NVML, now", lambda: _gpu_facts(own_pids))
    belongings = Belongings()
    try:
        belongings.look(own_pids)
        kernel = kernel_lines(since_s) if kernel is None else kernel
    except Exception:  # noqa: BLE001
        kernel = kernel or b""
    return Live("this machine, now", facts, kernel_log=kernel, own=belongings.own)


def _gpu_facts(own_pids: Collection[int]) -> dict[str, object]:
    driver, gpus = read_gpus(own_pids, LIMIT_S)
    ours = [gpu for gpu in gpus if any(one.owner == "ours" for one in gpu.processes or ())]
    facts = gpu_facts(driver, ours or gpus)
    return facts if ours else {name: value for name, value in facts.items() if name not in HEALTH}

"""What the machine states about itself, for all of its parts together."""

from __future__ import annotations

from logsense.machine.environment import environment_facts, read_environment
from logsense.machine.gpu import gpu_facts, read_gpus
from logsense.machine.host import host_facts, read_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What changes while a job runs, so that a reading from its start says nothing of its end.
CHANGING = frozenset(
    {"host.available", "host.cgroup_used", "host.oom_kills", "shm.used_share", "disk.free_least", "disk.fullest"}
    | {"gpu.watched", "gpu.memory_free", "gpu.others_now", "gpu.temperature", "gpu.throttled_by", "gpu.gone"}
)


def lasting_facts(command: Sequence[str]) -> dict[str, object]:
    """What holds for the whole run of `command`: versions, sizes and limits. Parts that can't be read are left out."""
    found: dict[str, object] = {}

    def take(read: Callable[[], dict[str, object]]) -> None:
        try:
            found.update(read())
        except Exception:  # noqa: BLE001, S110 - one part that can't be read leaves the others
            pass

    take(lambda: environment_facts(read_environment(command)))
    take(lambda: host_facts(read_host()))
    take(lambda: gpu_facts(*read_gpus()))
    return {name: value for name, value in found.items() if name not in CHANGING}

"""Derive the rank, attempt and host of a log from its path, as launchers write one file per rank.

torchrun --log-dir: <run>/attempt_0/3/stderr.log (torch/distributed/elastic/multiprocessing/api.py), Open MPI
--output-filename: 1/rank.3/stderr, Slurm: slurm-%j_%t.out, out-%t.log, %x-%j-%t.log
(https://slurm.schedmd.com/srun.html), and names that people choose: rank_3.log, stderr_3.txt, worker3.log.
"""

from __future__ import annotations

from collections.abc import Sequence

from logsense.util.regexes import Lazy

_PLACES = (
    Lazy(r"(?i)(?:^|[^a-z])(?:global[_-]?)?rank[._=-]?(\d{1,6})(?![\da-z])"),
    Lazy(r"attempt_\d+/(\d{1,6})/"),
    Lazy(r"(?:^|/)slurm-\d+(?:\.\d+)?_(\d{1,6})\.[a-z]+$"),
    Lazy(r"(?i)(?:^|/)(?:std(?:out|err)|worker|proc(?:ess)?|task|trainer|log|out(?:put)?|err(?:or)?)[._-]?(\d{1,5})(?:\.[a-z]{2,6})?(?:\.(?:gz|zst|xz|bz2|lz4))?$"),
    Lazy(r"(?:^|/)[^/]{0,200}[._-]\d{3,12}[.-](0|[1-9]\d{0,5})\.(?:log|out|err|txt)$"),
)  # fmt: skip
# Usual names of a machine's own logs, next to the machine's name.
_OF_MACHINE = r"(?:dmesg|kern(?:el)?|syslog|messages|journal(?:ctl)?|nvidia[-_](?:smi|bug[-_]report)|dcgmi?|ibstat)"
_HOST = r"(?=[A-Za-z0-9.-]*\d)[A-Za-z][A-Za-z0-9.-]{0,62}?"
# Numbered folders that belong to jobs, not to machines.
_NOT_JOB = (
    r"(?!(?:(?:[a-z]+[_-])*(?:jobs?|runs?|exp(?:eriment)?|attempt|trial|seed|version|test|task|rank|worker|slurm|step|epoch|lightning)"
    r"|pytest|tmp|v)[_-]?\d)"
)
_HOSTS = (
    Lazy(rf"(?:^|/)({_HOST})[._-]{_OF_MACHINE}\b[^/]*$"),
    Lazy(rf"(?:^|/){_OF_MACHINE}[._-](?:on[._-])?({_HOST})(?:\.(?:log|txt|out))?(?:\.(?:gz|zst|xz|bz2))?$"),
    Lazy(rf"(?:^|/)({_NOT_JOB}{_HOST})/(?:[^/]+/)?{_OF_MACHINE}\b[^/]*$"),
)
_OF_SOME_MACHINE = Lazy(rf"(?:^|/)(?:[^/]*[._-])?{_OF_MACHINE}\b[^/]*$")
_ATTEMPT = Lazy(r"(?:^|/)attempt_(\d{1,4})/")
_NUMBERED = Lazy(
    r"(?i)(?:^|/)(?:(?:log|out(?:put)?|err(?:or)?)[._-]?\d{1,5}(?:\.[^/]*)?|[^/]{0,200}[._-]\d{3,12}[.-]\d{1,6}\.[a-z]+)$"
)
# Pod names of Kubernetes' training operators.
_PODS = Lazy(r"-((?:master|worker|launcher|chief|ps)-\d{1,5})(?=[._-]|$)")


def attempt_of(name: str) -> int | None:
    """Return the attempt in the name of a source, from 0 as in torchrun; None if there is none."""
    found = _ATTEMPT.search(name.replace("\\", "/"))
    return int(found[1]) if found else None


def host_of(name: str) -> str | None:
    """Return the machine in the name of a machine's own log: node7-dmesg.log, dmesg_node7.txt, node7/kern.log."""
    path = name.replace("\\", "/")
    return next((found[1] for place in _HOSTS if (found := place.search(path))), None)


def is_of_machine(name: str) -> bool:
    """Return whether the name of a source is that of a machine's own log."""
    return host_of(name) is not None or _OF_SOME_MACHINE.search(name.replace("\\", "/")) is not None


def rank_of(name: str) -> int | None:
    """Return the rank in the name of a source; None if there is none."""
    path = name.replace("\\", "/")
    # A folder's name may hold a rank too; the innermost name counts.
    found = next((matches[-1] for place in _PLACES if (matches := [*place.finditer(path)])), None)
    return int(found[1]) if found else None


def place_of(name: str) -> tuple[int | None, str | None]:
    """Return the rank and host in the name of a source. A number as in log-084.log is not taken for a rank."""
    return (None if _is_numbered(name) else rank_of(name)), host_of(name)


def places_of(names: Sequence[str]) -> dict[str, tuple[int | None, str | None]]:
    """Return the rank and host of each of `names`, the logs of a job.

    Numbers as in log-084.log are ranks only if most of them exist, from 0 on.
    """
    ranks = {rank_of(name) or 0 for name in names if _is_numbered(name)}
    if len(ranks) < 2 or 0 not in ranks or 2 * len(ranks) <= max(ranks):
        return {name: place_of(name) for name in names}
    return {name: (rank_of(name), host_of(name)) for name in names}


def _is_numbered(name: str) -> bool:
    return bool(_NUMBERED.search(name.replace("\\", "/")))


def without_rank(name: str) -> str:
    """Return the path `name` with `*` instead of the rank: the same for all ranks of a job."""
    path = name.replace("\\", "/")
    for place in (*_PLACES, _PODS):
        found = place.search(path)
        if found:
            return f"{path[: found.start(1)]}*{path[found.end(1) :]}"
    return path

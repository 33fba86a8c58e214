"""Which logs belong to one job: the rule by which a survey groups the paths that it finds.

A folder with rank logs is one job, a single log is one job. In detail:

1. Folders that hold a part of a job (`attempt_0`, `rank3`, `node7`, `logs`, `files`, and `3` beside a folder `0`) count
   as the folder above them: torchrun's <run>/attempt_0/3/stderr.log belongs to <run>.
2. Below one folder, logs are of one job whose names differ only in the rank, in what they hold (.out and .err, stdout
   and stderr), in rotation (train.log.1) or in how they are packed. Numbers behind other words than "rank" count as
   ranks where they begin at 0 and most of them are there.
3. Where exactly one such job has several ranks, the few other logs beside it (the launcher's, say) belong to it too,
   or above it, where its folder is the only one there.
4. Sibling folders that hold different ranks of one job, from rank 0 on, are one job: a folder a node.
"""

from __future__ import annotations

import os
import re
from collections import Counter

from logsense.records.rank_by_name import rank_of, without_rank
from logsense.sources.folder import natural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PART = re.compile(
    r"(?:attempt|restart|retry|try|(?:global|local)?[._-]?rank|node|host|worker|task|proc(?:ess)?|pod|replica|gpu)"
    r"[._-]?\d+|logs?|files|std(?:out|err)|out(?:put)?|err(?:or)?s?",
    re.IGNORECASE,
)
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst|lz4)$", re.IGNORECASE)
_ROTATED = re.compile(r"(?<=\.(?:log|out|err|txt))[.-]\d+$", re.IGNORECASE)
_BATCH = re.compile(r"\.[oe](\d+)(?:[.-](\d+))?$")  # of PBS and Grid Engine: name.o12345, name.e12345
_STREAM = re.compile(
    r"(?:^|[._-])(?:std(?:out|err)|out(?:put)?|err(?:or)?|log|txt|jsonl?|ndjson)(?=[._*-]|$)", re.IGNORECASE
)
# Names whose numbers may count ranks or jobs: worker-3, log-3, and Slurm's job_step of a task or of an array.
_DOUBTFUL = re.compile(
    r"^(?:slurm-\d+(?:\.\d+)?_|(?:std(?:out|err)|worker|proc(?:ess)?|task|trainer|log|output)[._-]?)\*", re.IGNORECASE
)
DOUBT = "?"  # at the end of a key
MOST_BESIDE = 4  # other logs that a job of several ranks may have beside those, or as many as it has ranks


def group(paths: Iterable[str]) -> dict[str, list[str]]:
    """The jobs that `paths`, logs with `/` between their parts, belong to: the name of each, and its logs in order.

    A job of one log is called as that; one that has a folder to itself, as the folder; others as their logs, with `*`
    for what differs.
    """
    ordered = sorted(paths, key=natural)
    numbered = {folder for folder in map(os.path.dirname, ordered) for folder in _upwards(folder)}
    groups: dict[tuple[str, str], list[str]] = {}
    for path in ordered:
        root = _root(path, numbered)
        groups.setdefault((root, _key(path[len(root) :].lstrip("/"))), []).append(path)
    _part_doubtful(groups)
    _join_beside(groups)
    _join_nodes(groups)
    return _named(groups)


def _upwards(folder: str) -> Iterable[str]:
    while folder:
        yield folder
        folder = os.path.dirname(folder) if os.path.dirname(folder) != folder else ""


def _root(path: str, folders: set[str]) -> str:
    """The folder of the job that `path` belongs to: parts of a job are stepped over."""
    folder = os.path.dirname(path)
    while True:
        above, name = os.path.split(folder)
        if not name or not above or not (_PART.fullmatch(name) or _is_rank(above, name, folders)):
            return folder
        folder = above


def _is_rank(above: str, name: str, folders: set[str]) -> bool:
    small = name.isdecimal() and name.isascii() and len(name) <= 4
    return small and (f"{above}/0" in folders or os.path.basename(above).startswith("attempt_"))


def _key(path: str) -> str:
    """What the names of a job's logs have in common."""
    name = _plain_name(path)
    batch = _BATCH.search(name)
    if batch:
        return f"{name[: batch.start()]}.{batch[1]}"
    name = os.path.basename(without_rank("/" + name))
    mark = DOUBT if _DOUBTFUL.search(name) else ""
    return _STREAM.sub("", name).strip("._-") + mark


def _plain_name(path: str) -> str:
    return _ROTATED.sub("", _PACKED.sub("", os.path.basename(path)))


def _part_doubtful(groups: dict[tuple[str, str], list[str]]) -> None:
    """Parts groups by numbers that are no ranks after all: log-001, log-007, log-012; ranks begin at 0, most are there.

    Those with folders like theirs beside them are left: each may hold the ranks of a node.
    """
    siblings = Counter((os.path.dirname(root), key) for root, key in groups)
    for root, key in [one for one in groups if one[1].endswith(DOUBT)]:
        logs = groups[root, key]
        ranks = _ranks(logs, root)
        if siblings[os.path.dirname(root), key] > 1 or (0 in ranks and 2 * len(ranks) > max(ranks)):
            continue
        del groups[root, key]
        for log in logs:
            own = _STREAM.sub("", _plain_name(log)).strip("._-")
            groups.setdefault((root, own), []).append(log)


def _ranks(paths: Sequence[str], root: str) -> set[int]:
    found = (rank_of(path[len(root) :]) for path in paths)
    return {rank for rank in found if rank is not None}


def _join_beside(groups: dict[tuple[str, str], list[str]]) -> None:
    """Gives a folder's only job of several ranks the other logs there."""
    by_root: dict[str, list[str]] = {}
    for root, key in groups:
        by_root.setdefault(root, []).append(key)
    for root, keys in by_root.items():
        many = [key for key in keys if len(_ranks(groups[root, key], root)) > 1]
        others = [key for key in keys if key not in many and _numbers(key) <= _numbers("".join(many[:1]))]
        if len(many) != 1 or sum(len(groups[root, key]) for key in others) > max(
            MOST_BESIDE, len(groups[root, many[0]])
        ):
            continue
        for key in others:
            groups[root, many[0]] += groups.pop((root, key))
    _join_above(groups)


def _numbers(key: str) -> set[str]:
    """The numbers in a name: a log with the number of another job is no companion."""
    return set(re.findall(r"\d+", key))


def _join_above(groups: dict[tuple[str, str], list[str]]) -> None:
    """Gives a folder's logs to the job of several ranks whose folder is the only one in it."""
    below: dict[str, set[str]] = {}
    for root, _ in groups:
        folder = root
        while (above := os.path.dirname(folder)) != folder:
            below.setdefault(above, set()).add(root)
            folder = above
    direct: dict[str, list[tuple[str, str]]] = {}
    for one in groups:
        direct.setdefault(one[0], []).append(one)
    for root, key in [one for one in groups if len(_ranks(groups[one], one[0])) > 1]:
        above = os.path.dirname(root)
        beside = direct.get(above, []) if below.get(above) == {root} else []
        if beside and sum(len(groups[one]) for one in beside) <= MOST_BESIDE:
            joined = [log for one in beside for log in groups.pop(one)]
            groups[above, key] = groups.pop((root, key)) + joined


def _join_nodes(groups: dict[tuple[str, str], list[str]]) -> None:
    """Joins folders beside each other that hold different ranks of one job: one has rank 0, no rank is there twice."""
    siblings: dict[tuple[str, str], list[str]] = {}
    for root, key in groups:
        siblings.setdefault((os.path.dirname(root), key), []).append(root)
    for (above, key), roots in siblings.items():
        if len(roots) < 2 or not above:
            continue
        ranks = [_ranks(groups[root, key], root) for root in roots]
        together = set().union(*ranks)
        if all(ranks) and len(together) == sum(map(len, ranks)) and together == set(range(len(together))):
            joined = [path for root in roots for path in groups.pop((root, key))]
            groups.setdefault((above, key), []).extend(joined)


def _named(groups: dict[tuple[str, str], list[str]]) -> dict[str, list[str]]:
    jobs_in: dict[str, int] = {}
    for root, _ in groups:
        jobs_in[root] = jobs_in.get(root, 0) + 1
    around = {folder for root, _ in groups for folder in _upwards(os.path.dirname(root))}
    named: dict[str, list[str]] = {}
    for (root, _), logs in groups.items():
        logs.sort(key=natural)
        if len(logs) == 1:
            name = logs[0]
        elif root and jobs_in[root] == 1 and root not in around:
            name = root
        else:
            name = _common(logs)
        while name in named:
            name += "*"
        named[name] = logs
    return dict(sorted(named.items(), key=lambda one: natural(one[0])))


def _common(logs: Sequence[str]) -> str:
    """The names of several logs as one, with `*` for what differs."""
    head = os.path.commonprefix(logs)  # noqa: RUF071 - letter by letter is meant
    tail = os.path.commonprefix([log[len(head) :][::-1] for log in logs])[::-1]  # noqa: RUF071
    return f"{head}*{tail}"

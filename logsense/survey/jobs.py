"""Group the paths that a survey finds by job.

A folder with rank logs is one job; so is a single log. In detail:

1. Folders for a part of a job (`attempt_0`, `rank3`, `node7`, `logs`, `files`, and `3` next to a folder `0`) count as
   their parent: torchrun's <run>/attempt_0/3/stderr.log belongs to <run>.
2. Logs below one folder are of one job if their names differ only in the rank, the stream (.out and .err, stdout and
   stderr), the rotation (train.log.1) or the compression. Numbers after other words than "rank" count as ranks if
   they start at 0 and most of them exist.
3. If exactly one such job has several ranks, the few other logs next to it (such as the launcher's) belong to it too;
   also those in the parent folder, if the job's folder is the only one there.
4. Sibling folders with different ranks of one job, from rank 0 on, are one job with a folder per node.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from logsense.records.rank_by_name import rank_of, without_rank
from logsense.sources.folder import natural

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
# Names whose numbers can be ranks or jobs: worker-3, log-3, and Slurm's task of a step or of an array.
_DOUBTFUL = re.compile(
    r"^(?:slurm-\d+(?:\.\d+)?_|(?:std(?:out|err)|worker|proc(?:ess)?|task|trainer|log|output)[._-]?)\*", re.IGNORECASE
)
DOUBT = "?"  # at the end of a key
MOST_COMPANIONS = 4  # other logs of a multi-rank job, or as many as it has ranks


def group(paths: Iterable[str]) -> dict[str, list[str]]:
    """Group `paths`, logs with `/` as separator, by job. Return the sorted logs of each job by its name.

    A job with one log has the name of the log; a job with a folder of its own, that of the folder; other jobs have
    the common name of their logs, with `*` for the differences.
    """
    ordered = sorted(paths, key=natural)
    numbered = {folder for folder in map(os.path.dirname, ordered) for folder in _ancestors(folder)}
    groups: dict[tuple[str, str], list[str]] = {}
    for path in ordered:
        root = _root(path, numbered)
        groups.setdefault((root, _key(path[len(root) :].lstrip("/"))), []).append(path)
    _split_doubtful(groups)
    _add_companions(groups)
    _join_nodes(groups)
    return _named(groups)


def _ancestors(folder: str) -> Iterable[str]:
    while folder:
        yield folder
        folder = os.path.dirname(folder) if os.path.dirname(folder) != folder else ""


def _root(path: str, folders: set[str]) -> str:
    """Return the folder of the job of `path`, skipping folders for parts of a job."""
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
    """Return what the names of a job's logs have in common."""
    name = _plain_name(path)
    batch = _BATCH.search(name)
    if batch:
        return f"{name[: batch.start()]}.{batch[1]}"
    name = os.path.basename(without_rank("/" + name))
    mark = DOUBT if _DOUBTFUL.search(name) else ""
    return _STREAM.sub("", name).strip("._-") + mark


def _plain_name(path: str) -> str:
    return _ROTATED.sub("", _PACKED.sub("", os.path.basename(path)))


def _split_doubtful(groups: dict[tuple[str, str], list[str]]) -> None:
    """Split groups whose numbers are not ranks, such as log-001, log-007, log-012: ranks start at 0 and are complete.

    Groups in sibling folders stay: each folder can hold the ranks of one node.
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


def _add_companions(groups: dict[tuple[str, str], list[str]]) -> None:
    """Add the other logs of a folder to its only multi-rank job."""
    by_root: dict[str, list[str]] = {}
    for root, key in groups:
        by_root.setdefault(root, []).append(key)
    for root, keys in by_root.items():
        many = [key for key in keys if len(_ranks(groups[root, key], root)) > 1]
        others = [key for key in keys if key not in many and _numbers(key) <= _numbers("".join(many[:1]))]
        if len(many) != 1 or sum(len(groups[root, key]) for key in others) > max(
            MOST_COMPANIONS, len(groups[root, many[0]])
        ):
            continue
        for key in others:
            groups[root, many[0]] += groups.pop((root, key))
    _add_logs_of_parent(groups)


def _numbers(key: str) -> set[str]:
    """Return the numbers in a name: a log with another job's number is not a companion."""
    return set(re.findall(r"\d+", key))


def _add_logs_of_parent(groups: dict[tuple[str, str], list[str]]) -> None:
    """Add the logs of a folder to the multi-rank job in its only subfolder."""
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
        companions = direct.get(above, []) if below.get(above) == {root} else []
        if companions and sum(len(groups[one]) for one in companions) <= MOST_COMPANIONS:
            joined = [log for one in companions for log in groups.pop(one)]
            groups[above, key] = groups.pop((root, key)) + joined


def _join_nodes(groups: dict[tuple[str, str], list[str]]) -> None:
    """Join sibling folders with different ranks of one job: the ranks are complete and none occurs twice."""
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
    around = {folder for root, _ in groups for folder in _ancestors(os.path.dirname(root))}
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
    """Return the common name of several logs, with `*` for the differences."""
    head = os.path.commonprefix(logs)  # noqa: RUF071 - by character, on purpose
    tail = os.path.commonprefix([log[len(head) :][::-1] for log in logs])[::-1]  # noqa: RUF071
    return f"{head}*{tail}"

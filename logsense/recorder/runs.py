"""List, read and delete recorded runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import Any, TypeVar

from logsense.machine.host.processes import is_running
from logsense.model.live import Ended, Own
from logsense.model.run import Rank, RecordedRun
from logsense.model.values import to_count
from logsense.recorder.folder import ENDED, KERNEL, MACHINE, OUTPUT, OWN, STARTED, boot_id, state_folder
from logsense.recorder.output import pieces
from logsense.recorder.samples import read_samples
from logsense.util.files import object_in, tail_of

Value = TypeVar("Value")
KEPT_RUNS = 50
KEPT_BYTES = 2 << 30
MOST_KERNEL_BYTES = 4 << 20


def run_names(root: str) -> list[str]:
    """Return the names of all runs in `root`, newest first."""
    try:
        names = [entry.name for entry in os.scandir(root) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted((name for name in names if os.path.exists(os.path.join(root, name, STARTED))), reverse=True)


def find_run(root: str, wanted: str) -> str | None:
    """Return the name of the run that `wanted` selects: a number (1 is the newest), a name, or a unique part of one."""
    names = run_names(root)
    number = to_count(wanted)
    if number is not None and 0 < number <= len(names):
        return names[number - 1]
    if wanted in names:
        return wanted
    matching = [name for name in names if wanted in name]
    return matching[0] if len(matching) == 1 else None


def selected_run(wanted: str) -> RecordedRun | None:
    """Return the run that `wanted` selects, as for `find_run`, among those of this user; None if it can't be read."""
    root = state_folder()
    name = find_run(root, wanted) if root else None
    return load_run(root, name) if root and name else None


def kept_bytes(path: str) -> int:
    """Return the size in bytes of the output recorded in `path`, including gaps."""
    kept = pieces(os.path.join(path, OUTPUT))
    try:
        return kept[-1][1] + os.path.getsize(kept[-1][0]) if kept else 0
    except OSError:  # it was deleted meanwhile
        return 0


def command_for(path: str) -> str:
    """Return the command that shows the full report on the run in `path`."""
    root, name = os.path.split(path)
    return "logsense last -v" if run_names(root)[:1] == [name] else f"logsense last {name} -v"


def load_run(root: str, name: str, *, whole: bool = True) -> RecordedRun | None:
    """Return the run `name`; None if it can't be read. Without `whole`, samples and kernel log are skipped."""
    path = os.path.join(root, name)
    started = object_in(os.path.join(path, STARTED))
    if not started:
        return None
    try:
        at_s, pid = float(started["at_s"]), int(started["pid"])
        command = tuple(str(word) for word in started["command"])
    except (KeyError, TypeError, ValueError):
        return None
    end = object_in(os.path.join(path, ENDED))
    ended = _ended(end) if end else None
    samples = read_samples(path) if whole else ()
    same_boot = started.get("boot") in ("", boot_id())
    return RecordedRun(
        name=name,
        path=path,
        command=command,
        folder=str(started.get("folder", "")),
        host=str(started.get("host", "")),
        at_s=at_s,
        after_s=_number(end.get("after_s")) if end else (samples[-1].after_s if samples else None),
        ended=ended,
        running=ended is None and not end and same_boot and is_running(pid),
        rebooted=ended is None and not end and not same_boot,
        closed=ended is None and bool(end),
        samples=samples,
        output=tuple(pieces(os.path.join(path, OUTPUT))),
        stated=object_in(os.path.join(path, MACHINE)) if whole else {},
        kernel_log=tail_of(os.path.join(path, KERNEL), MOST_KERNEL_BYTES) if whole else b"",
        own=_own(object_in(os.path.join(path, OWN))),
        size_bytes=_size(path),
        rank=rank_of(started.get("rank")),
    )


def delete_run(root: str, name: str) -> None:
    """Delete the run `name`. Raise OSError."""
    shutil.rmtree(os.path.join(root, name))


def prune(root: str, keep: int = KEPT_RUNS, most_bytes: int = KEPT_BYTES) -> list[str]:
    """Delete the oldest runs until at most `keep` with `most_bytes` in total remain; return the deleted names.

    Runs in progress are kept.
    """
    deleted, used = [], 0
    for number, name in enumerate(run_names(root)):
        used += _size(os.path.join(root, name))
        if (number < keep and used <= most_bytes) or number == 0:
            continue
        found = load_run(root, name, whole=False)
        if found and found.running:
            continue
        try:
            delete_run(root, name)
            deleted.append(name)
        except OSError:
            continue
    return deleted


def _ended(data: dict[str, Any]) -> Ended | None:
    status, signal = data.get("status"), data.get("signal")
    if not isinstance(status, int) and not isinstance(signal, int):
        return None
    return Ended(
        status if isinstance(status, int) else None,
        signal if isinstance(signal, int) else None,
        by_user=data.get("by_user") is True,
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _own(data: dict[str, Any]) -> Own:
    def values(name: str, kind: type[Value]) -> frozenset[Value]:
        found = data.get(name)
        return frozenset(one for one in found if isinstance(one, kind)) if isinstance(found, list) else frozenset()

    return Own(values("pids", int), values("groups", str), values("gpus", str))


def _size(path: str) -> int:
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:  # noqa: PERF203
                continue  # it was deleted meanwhile
    return total


def rank_of(data: object) -> Rank | None:
    """Return the rank in `data`, read from a file; None if it is invalid."""
    match data:
        case [str(job), int(number), int(ranks)]:
            return Rank(job, number, ranks)
    return None


def runs_of_job(run: RecordedRun, known: Sequence[RecordedRun]) -> list[RecordedRun]:
    """Return the newest run of each rank of the job of `run` in `known`, newest first."""
    by_rank: dict[int, RecordedRun] = {}
    for one in known:
        if one.rank and run.rank and one.rank.job == run.rank.job:
            by_rank.setdefault(one.rank.number, one)
    return list(by_rank.values())


def first_failed(runs: Sequence[RecordedRun]) -> RecordedRun | None:
    """Return the run that failed first; the launcher then ends the others."""
    failed = [one for one in runs if one.ended and (one.ended.status or one.ended.signal)]
    return min(failed, key=lambda one: one.at_s + (one.after_s or 0.0), default=None)

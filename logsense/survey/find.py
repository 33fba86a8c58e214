"""Find what a survey reads below the given paths: the logs of each job, and archives."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

from logsense.model.source import reason
from logsense.sources.find import is_address, is_store
from logsense.sources.folder import SKIPPED_FOLDERS, is_log_name
from logsense.sources.remote import files_at
from logsense.sources.unpack import ARCHIVE_ENDINGS
from logsense.survey.jobs import group
from logsense.util.errors import InputError
from logsense.util.noun import NamedTuple

_EXPLANATION = ".why"  # beside the log, as examples/slurm/epilog.sh writes it
# In a folder of jobs, a file without an extension is a log only if its name says so; .json files are configuration.
_LOG_WITHOUT_EXTENSION = re.compile(r"[\w-]*(?:stdout|stderr|output|log)|slurm-.*", re.IGNORECASE)


class Task(NamedTuple):
    """A unit of work: the logs of the job `name`, or an archive, which can contain several jobs.

    `paths` can be addresses. `stamp` changes when a file does. `size_bytes` is their total size, `newest_s` the last
    modification time, in seconds since the epoch, if known.
    """

    name: str
    paths: tuple[str, ...]
    stamp: str
    size_bytes: int
    newest_s: float | None
    is_archive: bool = False


class _File(NamedTuple):
    size_bytes: int
    changed_s: float | None
    stamp: str


def find_tasks(paths: Sequence[str]) -> list[Task]:
    """Return the tasks below `paths`, which are files, folders or addresses, in natural order.

    Raise InputError if one of them can't be read.
    """
    files: dict[str, _File] = {}
    for path in paths:
        if is_address(path):
            files.update(_remote_files(path))
            continue
        absolute = os.path.abspath(os.path.expanduser(path))
        try:
            stat = os.stat(absolute)
        except (OSError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise InputError(f"can't read {path}: {why}") from None
        if os.path.isfile(absolute):
            files[absolute] = _file(stat)
        elif not os.path.isdir(absolute) or not os.access(absolute, os.R_OK | os.X_OK):
            raise InputError(f"can't read {path}: {'permission denied' if os.path.isdir(absolute) else 'not a file'}")
        else:
            files.update(_files_below(absolute))
    archives = [path for path in files if path.lower().endswith(ARCHIVE_ENDINGS)]
    logs = [path for path in files if path not in set(archives)]
    tasks = [_task(name, members, files) for name, members in group(logs).items()]
    tasks += [_task(path, [path], files)._replace(is_archive=True) for path in archives]
    return tasks


def _file(stat: os.stat_result) -> _File:
    return _File(stat.st_size, stat.st_mtime, str(stat.st_mtime_ns))


def _remote_files(address: str) -> Iterator[tuple[str, _File]]:
    """Yield the logs and archives in the folder at `address`, or the file there."""
    if is_store(address):
        raise InputError(f"can't survey {address.partition('?')[0]}: use logsense explain, one job at a time")

    for one in files_at(address):
        below = one.address.removeprefix(address.rstrip("/")).strip("/").split("/")
        skipped = any(name.startswith(".") or name in SKIPPED_FOLDERS for name in below[:-1])
        if one.address == address or (_may_be_log(below[-1]) and not skipped):
            yield one.address, _File(one.size_bytes or 0, one.changed_s, one.stamp)


def _files_below(folder: str) -> Iterator[tuple[str, _File]]:
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS]
        for name in names:
            path = os.path.join(where, name)
            if not _may_be_log(name) or (os.path.islink(path) and _points_inside(path, folder)):
                continue
            try:
                stat = os.stat(path)
            except OSError:
                continue
            if os.path.isfile(path):
                yield path, _file(stat)


def _may_be_log(name: str) -> bool:
    if name.startswith(".") or name.endswith(_EXPLANATION):
        return False
    if name.lower().endswith(ARCHIVE_ENDINGS):
        return True
    return (
        is_log_name(name)
        and not name.endswith(".json")
        and ("." in name or bool(_LOG_WITHOUT_EXTENSION.fullmatch(name)))
    )


def _points_inside(link: str, folder: str) -> bool:
    """Return whether a link, such as latest.log, points to a file that is found anyway."""
    return os.path.realpath(link).startswith(os.path.realpath(folder) + os.sep)


def _task(name: str, paths: list[str], files: dict[str, _File]) -> Task:
    stamps = [(path, files[path].size_bytes, files[path].stamp) for path in paths]
    return Task(
        name=name,
        paths=tuple(paths),
        stamp=sha256(repr(stamps).encode("utf-8", "surrogateescape")).hexdigest()[:32],
        size_bytes=sum(files[path].size_bytes for path in paths),
        newest_s=max((changed for path in paths if (changed := files[path].changed_s) is not None), default=None),
    )

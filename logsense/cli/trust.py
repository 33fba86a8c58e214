"""`logsense trust`: use a project's own rules and signatures, in their present state."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256

from logsense.catalog.files import Folder, TooLargeError, listing
from logsense.cli.output import note
from logsense.cli.project import KNOWLEDGE, folders_of, project_file, project_table, user_folder
from logsense.render.clean import one_line
from logsense.util.errors import InputError
from logsense.util.files import write_json

STATE = {True: "trusted", False: "changed since, not used"}


def run(options: dict[str, object]) -> int:
    """Trust the project in the folder in `options`, or list the trusted projects; return the exit status."""
    remove, project_folder = options.get("remove"), options.get("folder")
    store = _store_path()
    known = _read(store)
    if not project_folder and not remove:
        for project in sorted(known):
            print(f"{one_line(project)}: {STATE[known[project] == _hash_now(project)]}")
        if not known:
            note("no project is trusted; logsense trust DIR trusts the rules and signatures of one")
        return 0
    folder = os.path.realpath(str(remove or project_folder))
    if remove:
        if known.pop(folder, None) is None:
            raise InputError(f"{folder} is not trusted (see logsense trust)")
        _write(store, known)
        note(f"{folder} is no longer trusted")
        return 0
    path = project_file(folder)
    folders = folders_of(path, project_table(path)) if path and os.path.isdir(folder) else []
    if not path or not folders:
        raise InputError(
            f"{folder}: nothing to trust: no pyproject.toml sets {' or '.join(KNOWLEDGE)} under [tool.logsense]"
        )
    found = fingerprint(folders)
    _write(store, {**known, os.path.realpath(os.path.dirname(path)): found})
    note(f"trusted in their present state: {', '.join(one.path for one in folders)}")
    return 0


def trusted_folders(path: str, table: Mapping[str, object]) -> tuple[tuple[Folder, ...], str]:
    """Return the trusted folders of rules and signatures in `table` of the pyproject.toml at `path`, or () and why."""
    project = os.path.realpath(os.path.dirname(path))
    named = " and ".join(kind for kind in KNOWLEDGE if kind in table)
    try:
        known = _read(_store_path()).get(project)
        if known is None:
            return (), f"{named} (not trusted; review it, then run logsense trust {project})"
        folders = folders_of(path, table)
        if fingerprint(folders) != known:
            return (), f"{named} (changed since you trusted it; review it, then run logsense trust {project})"
    except (InputError, OSError, ValueError) as error:
        return (), f"{named} ({error})"
    return tuple(folders), ""


def fingerprint(folders: Sequence[Folder]) -> str:
    """Return a hash of the names and contents of all files in `folders`. Raise InputError if they are too large."""
    whole = sha256()
    for folder in folders:
        whole.update(f"{folder.kind}\0{folder.path}\0".encode("utf-8", "surrogateescape"))
        try:
            for name, _ in listing(folder.path):
                with open(os.path.join(folder.path, name), "rb") as file:
                    content = sha256(file.read()).hexdigest()
                whole.update(f"{name}\0{content}\0".encode("utf-8", "surrogateescape"))
        except TooLargeError as error:
            raise InputError(str(error)) from None
    return whole.hexdigest()


def _hash_now(project: str) -> str | None:
    path = os.path.join(project, "pyproject.toml")
    try:
        return fingerprint(folders_of(path, project_table(path)))
    except Exception:  # noqa: BLE001 - an unreadable project is not what was trusted
        return None


def _store_path() -> str:
    folder = user_folder()
    if folder is None:
        raise InputError("there is no home folder to store the trusted projects in")
    return os.path.join(folder, "trusted.json")


def _read(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: can't be read: {error}") from None
    return {str(project): str(mark) for project, mark in found.items()} if isinstance(found, dict) else {}


def _write(path: str, known: Mapping[str, str]) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    write_json(path, known)

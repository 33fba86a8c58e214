"""Find and read the settings files of a project and of the user."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from logsense.catalog.files import Folder
from logsense.util.errors import InputError

KNOWLEDGE = ("rules", "corpus")


def user_folder() -> str | None:
    """Return the folder of the user's settings, which may not exist; None without a home folder."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    if not base:
        home = os.path.expanduser("~")
        base = os.path.join(home, ".config") if os.path.isabs(home) else ""
    return os.path.join(base, "logsense") if base else None


def project_file(folder: str | None = None) -> str | None:
    """Return the path of the nearest pyproject.toml in `folder` (default: the current one) or its parents."""
    try:
        folder = os.path.abspath(folder or os.getcwd())
    except OSError:
        return None  # the current folder was deleted
    while not os.path.isfile(path := os.path.join(folder, "pyproject.toml")):
        if os.path.dirname(folder) == folder:
            return None
        folder = os.path.dirname(folder)
    return path


def project_table(path: str) -> dict[str, object]:
    """Return the table `[tool.logsense]` of the pyproject.toml at `path`. Raise InputError if it can't be read."""
    return table_in(path, ("tool", "logsense"))


def folders_of(path: str, table: Mapping[str, object]) -> list[Folder]:
    """Return the folders of rules and signatures that the `table` of a pyproject.toml at `path` names."""
    found = []
    for kind in (kind for kind in reversed(KNOWLEDGE) if kind in table):
        name = os.path.normpath(os.path.expanduser(str(table[kind])))
        shown = name if os.path.isabs(name) or name.startswith("..") else os.path.join(".", name)
        found.append(Folder(kind, os.path.join(os.path.dirname(path), name), shown))
    return found


def table_in(path: str, within: tuple[str, ...]) -> dict[str, object]:
    """Return the table at `within` in the TOML file at `path`; empty if it has none. Raise InputError if unreadable."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if within and ".".join(within).encode() not in data:
            return {}
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib
        found: object = tomllib.loads(data.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: can't be read: {error}") from error
    for key in within:
        found = found.get(key, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}

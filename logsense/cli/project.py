"""The settings files of a project and of its user: where they are, and the tables that they hold."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from logsense.catalog.files import Folder

KNOWLEDGE = ("rules", "corpus")


class ConfigError(Exception):
    """A settings file that can't be used; its text is one sentence that names the file."""


def folders_of(path: str, table: Mapping[str, object]) -> list[Folder]:
    """The folders of knowledge that the `table` of a pyproject.toml at `path` names."""
    from logsense.catalog.files import Folder

    base = os.path.dirname(path)
    named = [
        (kind, os.path.normpath(os.path.expanduser(str(table[kind])))) for kind in reversed(KNOWLEDGE) if kind in table
    ]
    return [Folder(kind, os.path.join(base, name), _shown(name)) for kind, name in named]


def _shown(name: str) -> str:
    return name if os.path.isabs(name) or name.startswith("..") else os.path.join(".", name)


def user_folder() -> str | None:
    """Where the user's own settings are kept; None where there is no home. It need not exist."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    if not base:
        home = os.path.expanduser("~")
        base = os.path.join(home, ".config") if os.path.isabs(home) else ""
    return os.path.join(base, "logsense") if base else None


def project_file(folder: str | None = None) -> str | None:
    """The path of the nearest pyproject.toml, from `folder` (by default the current one) upwards."""
    try:
        folder = os.path.abspath(folder or os.getcwd())
    except OSError:
        return None  # the current folder is gone
    while True:
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            return path
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def project_table(path: str) -> dict[str, object]:
    """What stands under `[tool.logsense]` in the pyproject.toml at `path`. Raises ConfigError."""
    return table_in(path, ("tool", "logsense"))


def table_in(path: str, within: tuple[str, ...]) -> dict[str, object]:
    """The table at `within` in the file at `path`; empty where it holds none. Raises ConfigError."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if within and ".".join(within).encode() not in data:
            return {}
        found: object = _toml(data.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: can't be read: {error}") from error
    for key in within:
        found = found.get(key, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}


def _toml(text: str) -> dict[str, object]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    table: dict[str, object] = tomllib.loads(text)
    return table

"""Settings files: `[tool.logsense]` of the nearest pyproject.toml, and the user's own config.toml."""

from __future__ import annotations

import os

from logsense.cli.options import OPTIONS
from logsense.cli.renamed import SETTINGS, told
from logsense.notifying import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class ConfigError(Exception):
    """A settings file that can't be used; its text is one sentence that names the file."""


def kept(folder: str | None = None, renamed: Mapping[str, tuple[str, str]] = SETTINGS) -> dict[str, object]:
    """The settings kept in files, by the names of options; those of the project win over the user's.

    `folder` is where the search for the project's pyproject.toml starts, upwards; by default the current folder.
    Raises ConfigError where a file can't be read or holds what is no setting.
    """
    values: dict[str, object] = {}
    for path, within in ((user_file(), ()), (_project_file(folder), ("tool", "logsense"))):
        if path:
            values.update(_checked(path, _renewed(_table(path, within), renamed), own=not within))
    if os.environ.get(VARIABLE):
        values["notify"] = os.environ[VARIABLE]
    return values


def kept_for_reading(folder: str | None = None) -> dict[str, object]:
    """`kept`, for commands that read what is over: nobody is told of it again unless the command line says so."""
    return {name: value for name, value in kept(folder).items() if name != "notify"}


def _renewed(table: dict[str, object], renamed: Mapping[str, tuple[str, str]]) -> dict[str, object]:
    return {told(key, renamed[key]) if key in renamed else key: value for key, value in table.items()}


def user_file() -> str | None:
    """The path of the user's config.toml, if there is one."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    if not base:
        home = os.path.expanduser("~")
        base = os.path.join(home, ".config") if os.path.isabs(home) else ""
    path = os.path.join(base, "logsense", "config.toml") if base else ""
    return path if os.path.isfile(path) else None


def _project_file(folder: str | None) -> str | None:
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


def _table(path: str, within: tuple[str, ...]) -> dict[str, object]:
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


def _checked(path: str, table: dict[str, object], *, own: bool) -> Iterator[tuple[str, object]]:
    # Where the answer goes is for the command line alone: a project must not choose files to overwrite.
    allowed = {option.flags[0][2:]: option for option in OPTIONS if option.name not in ("output", "newest", "against")}
    for key, value in table.items():
        option = allowed.get(key.replace("_", "-"))
        if option is None:
            raise ConfigError(f"{path}: there is no setting {key!r} (there are {', '.join(allowed)})")
        if option.name == "notify" and not own:
            raise ConfigError(
                f"{path}: notify may stand in your own config.toml only: a project must not choose who is told"
            )
        if option.switch and not isinstance(value, bool) and value not in option.choices:
            words = "".join(f", or {one}" for one in option.choices)
            raise ConfigError(f"{path}: {key} must be true or false{words}")
        if option.choices and not option.switch and value not in option.choices:
            raise ConfigError(f"{path}: {key} must be one of {', '.join(option.choices)}")
        if not option.switch and not isinstance(value, str):
            raise ConfigError(f"{path}: {key} must be a text")
        if option.metavar == "DIR":
            value = os.path.join(os.path.dirname(path), os.path.expanduser(str(value)))
        yield option.name, value

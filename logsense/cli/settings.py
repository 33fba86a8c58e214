"""Read the settings files: the user's config.toml, and `[tool.logsense]` of the nearest pyproject.toml."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

from logsense.cli.options import OPTIONS
from logsense.cli.project import (
    KNOWLEDGE,
    ConfigError,
    project_file,
    project_table,
    table_in,
    user_folder,
)
from logsense.cli.renamed import SETTINGS, replacement
from logsense.share.notify import ADDRESSES_VARIABLE

# A project's file sets only the appearance: an untrusted checkout must not decide more.
APPEARANCE = ("format", "color", "pager", "quiet", "verbose")


def _raise(problem: str) -> None:
    raise ConfigError(problem)


def stored_settings(
    folder: str | None = None,
    renamed: Mapping[str, tuple[str, str]] = SETTINGS,
    on_problem: Callable[[str], object] = _raise,
) -> dict[str, object]:
    """Return the settings from files, by the names of options. The project's override the user's.

    The search for the project's pyproject.toml starts in `folder` (default: the current one). "trusted" has the
    project's folders of rules and signatures that the user trusts, "ignored" a sentence on its other settings.
    `on_problem` gets a sentence for each problem with the user's own file; the default raises ConfigError.
    """
    values: dict[str, object] = {}
    if own := user_file():
        values.update(_of_user(own, renamed, on_problem))
    if path := project_file(folder):
        values.update(_of_project(path, renamed))
    if os.environ.get(ADDRESSES_VARIABLE):
        values["notify"] = os.environ[ADDRESSES_VARIABLE]
    return values


def _of_user(
    path: str, renamed: Mapping[str, tuple[str, str]], on_problem: Callable[[str], object]
) -> Iterator[tuple[str, object]]:
    table: dict[str, object] = {}
    try:
        table = _with_new_names(table_in(path, ()), renamed)
    except ConfigError as error:
        on_problem(str(error))
    for key, value in table.items():
        try:
            yield from _checked(path, {key: value})
        except ConfigError as error:  # noqa: PERF203 - a handful
            on_problem(str(error))


def _of_project(path: str, renamed: Mapping[str, tuple[str, str]]) -> dict[str, object]:
    """Return the settings of the pyproject.toml at `path`. Its problems become a sentence, never an error."""
    try:
        table = _with_new_names(project_table(path), renamed)
    except ConfigError as error:
        return {"ignored": f"ignored: {error}"}
    values: dict[str, object] = {}
    allowed = f"{', '.join(APPEARANCE[:-1])} and {APPEARANCE[-1]}"
    others = [key for key in table if key not in (*APPEARANCE, *KNOWLEDGE)]
    wrong = [f"{', '.join(others)} (a project sets {allowed} only)"] if others else []
    for key in filter(table.__contains__, APPEARANCE):
        try:
            values.update(_checked(path, {key: table[key]}))
        except ConfigError as error:  # noqa: PERF203 - a handful
            wrong.append(str(error).removeprefix(f"{path}: "))
    if any(key in table for key in KNOWLEDGE):
        from logsense.cli.trust import trusted_folders

        values["trusted"], reason = trusted_folders(path, table)
        wrong += [reason] if reason else []
    if wrong:
        values["ignored"] = f"ignored in {path}: {'; '.join(wrong)}"
    return values


def stored_settings_without_notify(folder: str | None = None) -> dict[str, object]:
    """Return `stored_settings` for commands that explain old logs: they notify only if the command line says so."""
    return {name: value for name, value in stored_settings(folder).items() if name != "notify"}


def _with_new_names(table: dict[str, object], renamed: Mapping[str, tuple[str, str]]) -> dict[str, object]:
    return {replacement(key, renamed[key]) if key in renamed else key: value for key, value in table.items()}


def user_file() -> str | None:
    """Return the path of the user's config.toml, or None if it does not exist."""
    path = os.path.join(user_folder() or "", "config.toml")
    return path if os.path.isabs(path) and os.path.isfile(path) else None


def _checked(path: str, table: dict[str, object]) -> Iterator[tuple[str, object]]:
    # Only the command line decides where the output goes.
    allowed = {option.flags[0][2:]: option for option in OPTIONS if option.name not in ("output", "newest", "against")}
    for key, value in table.items():
        option = allowed.get(key.replace("_", "-"))
        if option is None:
            raise ConfigError(f"{path}: there is no setting {key!r} (there are {', '.join(allowed)})")
        if option.switch and not isinstance(value, bool) and value not in option.choices:
            words = "".join(f", or {one}" for one in option.choices)
            raise ConfigError(f"{path}: {key} must be true or false{words}")
        if option.choices and not option.switch and value not in option.choices:
            raise ConfigError(f"{path}: {key} must be one of {', '.join(option.choices)}")
        if not option.switch and not isinstance(value, str):
            raise ConfigError(f"{path}: {key} must be a string")
        if option.metavar == "DIR":
            value = os.path.join(os.path.dirname(path), os.path.expanduser(str(value)))
        yield option.name, value

"""Settings files: the user's own config.toml, and `[tool.logsense]` of the nearest pyproject.toml, which sets looks."""

from __future__ import annotations

import os

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


# What a project's file may set: how an answer looks. Whoever brings a checkout decides nothing else.
LOOKS = ("format", "color", "pager", "quiet", "verbose")


def _refuse(sentence: str) -> None:
    raise ConfigError(sentence)


def kept(
    folder: str | None = None,
    renamed: Mapping[str, tuple[str, str]] = SETTINGS,
    on_problem: Callable[[str], object] = _refuse,
) -> dict[str, object]:
    """The settings kept in files, by the names of options; the looks that the project sets win over the user's.

    `folder` is where the search for the project's pyproject.toml starts, upwards; by default the current folder.
    With "trusted" come the project's folders of knowledge that the user trusts, with "left_out" a sentence on what
    else its file holds. Raises ConfigError where the user's own file cannot be read or holds what is not a setting;
    with `on_problem`, which gets it as a sentence, the rest is used.
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
        table = _renewed(table_in(path, ()), renamed)
    except ConfigError as error:
        on_problem(str(error))
    for key, value in table.items():
        try:
            yield from _checked(path, {key: value})
        except ConfigError as error:  # noqa: PERF203 - a handful
            on_problem(str(error))


def _of_project(path: str, renamed: Mapping[str, tuple[str, str]]) -> dict[str, object]:
    """What the pyproject.toml at `path` sets. What is wrong with it becomes a sentence, never an error."""
    try:
        table = _renewed(project_table(path), renamed)
    except ConfigError as error:
        return {"left_out": f"left out: {error}"}
    values: dict[str, object] = {}
    others = [key for key in table if key not in (*LOOKS, *KNOWLEDGE)]
    wrong = [f"{', '.join(others)} (a project sets {', '.join(LOOKS[:-1])} and {LOOKS[-1]} only)"] if others else []
    for key in filter(table.__contains__, LOOKS):
        try:
            values.update(_checked(path, {key: table[key]}))
        except ConfigError as error:  # noqa: PERF203 - a handful
            wrong.append(str(error).removeprefix(f"{path}: "))
    if any(key in table for key in KNOWLEDGE):
        from logsense.cli.trust import trusted_folders

        values["trusted"], reason = trusted_folders(path, table)
        wrong += [reason] if reason else []
    if wrong:
        values["left_out"] = f"left out of {path}: {'; '.join(wrong)}"
    return values


def kept_for_reading(folder: str | None = None) -> dict[str, object]:
    """`kept`, for commands that read what is over: nobody is told of it again unless the command line says so."""
    return {name: value for name, value in kept(folder).items() if name != "notify"}


def _renewed(table: dict[str, object], renamed: Mapping[str, tuple[str, str]]) -> dict[str, object]:
    return {replacement(key, renamed[key]) if key in renamed else key: value for key, value in table.items()}


def user_file() -> str | None:
    """The path of the user's config.toml, if there is one."""
    path = os.path.join(user_folder() or "", "config.toml")
    return path if os.path.isabs(path) and os.path.isfile(path) else None


def _checked(path: str, table: dict[str, object]) -> Iterator[tuple[str, object]]:
    # Where the answer goes is for the command line alone.
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
            raise ConfigError(f"{path}: {key} must be a text")
        if option.metavar == "DIR":
            value = os.path.join(os.path.dirname(path), os.path.expanduser(str(value)))
        yield option.name, value

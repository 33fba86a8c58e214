"""The settings of a call: from its command line, the user's config.toml, and the nearest pyproject.toml."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from logsense.cli.options import OPTIONS, Settings
from logsense.cli.output import error_message, note
from logsense.cli.project import KNOWLEDGE, project_file, project_table, table_in, user_folder
from logsense.share.notify import ADDRESSES_VARIABLE
from logsense.util.errors import InputError

# A project's file sets only the appearance: an untrusted checkout must not decide more.
APPEARANCE = ("format", "color", "pager", "quiet", "verbose")


def settings_of(options: Mapping[str, object], stored: Mapping[str, object] | None = None) -> Settings:
    """Return the settings from the `options` of a command line and those `stored` in files; options win.

    Print a note about ignored settings of a project's file.
    """
    stored = dict(stored or {})
    ignored = stored.pop("ignored", None)
    settings = Settings(**{**stored, **options})  # type: ignore[arg-type]
    if ignored:
        note(str(ignored), settings)
    return settings


def usable_settings(given: dict[str, object], problems: Sequence[str] = ()) -> Settings:
    """Return the settings from the options `given` and from files, as far as they can be used.

    Note what is wrong with the files, together with the `problems` that were found before.
    """
    wrong, stored = list(problems), dict[str, object]()
    try:
        stored = stored_settings(on_problem=wrong.append)
    except Exception as error:  # noqa: BLE001 - whatever it is, the log is explained
        wrong.append(error_message(error))
    if wrong:
        note(f"ignored: {'; '.join(wrong)}")
    return settings_of(given, stored)


def _raise(problem: str) -> None:
    raise InputError(problem)


def stored_settings(folder: str | None = None, on_problem: Callable[[str], object] = _raise) -> dict[str, object]:
    """Return the settings from files, by the names of options. The project's override the user's.

    The search for the project's pyproject.toml starts in `folder` (default: the current one). "trusted" has the
    project's folders of rules and signatures that the user trusts, "ignored" a sentence on its other settings.
    `on_problem` gets a sentence for each problem with the user's own file; the default raises InputError.
    """
    values: dict[str, object] = {}
    if own := user_file():
        values.update(_of_user(own, on_problem))
    if path := project_file(folder):
        values.update(_of_project(path))
    if os.environ.get(ADDRESSES_VARIABLE):
        values["notify"] = os.environ[ADDRESSES_VARIABLE]
    return values


def stored_settings_without_notify() -> dict[str, object]:
    """Return `stored_settings` for commands that explain old logs: they notify only if the command line says so."""
    return {name: value for name, value in stored_settings().items() if name != "notify"}


def _of_user(path: str, on_problem: Callable[[str], object]) -> Iterator[tuple[str, object]]:
    table: dict[str, object] = {}
    try:
        table = table_in(path, ())
    except InputError as error:
        on_problem(str(error))
    for key, value in table.items():
        try:
            yield _checked(path, key, value)
        except InputError as error:  # noqa: PERF203 - a handful
            on_problem(str(error))


def _of_project(path: str) -> dict[str, object]:
    """Return the settings of the pyproject.toml at `path`. Its problems become a sentence, never an error."""
    try:
        table = project_table(path)
    except InputError as error:
        return {"ignored": f"ignored: {error}"}
    values: dict[str, object] = {}
    allowed = f"{', '.join(APPEARANCE[:-1])} and {APPEARANCE[-1]}"
    others = [key for key in table if key not in (*APPEARANCE, *KNOWLEDGE)]
    wrong = [f"{', '.join(others)} (a project sets {allowed} only)"] if others else []
    for key in filter(table.__contains__, APPEARANCE):
        try:
            values.update([_checked(path, key, table[key])])
        except InputError as error:  # noqa: PERF203 - a handful
            wrong.append(str(error).removeprefix(f"{path}: "))
    if any(key in table for key in KNOWLEDGE):
        from logsense.cli.trust import trusted_folders

        values["trusted"], reason = trusted_folders(path, table)
        wrong += [reason] if reason else []
    if wrong:
        values["ignored"] = f"ignored in {path}: {'; '.join(wrong)}"
    return values


def _checked(path: str, key: str, value: object) -> tuple[str, object]:
    """Return the name of the option that `key` sets, and its value. Raise InputError if it can't be set so."""
    # Only the command line decides where the output goes.
    allowed = {option.flags[0][2:]: option for option in OPTIONS if option.name not in ("output", "newest", "against")}
    option = allowed.get(key.replace("_", "-"))
    if option is None:
        raise InputError(f"{path}: there is no setting {key!r} (there are {', '.join(allowed)})")
    if option.switch and not isinstance(value, bool) and value not in option.choices:
        words = "".join(f", or {one}" for one in option.choices)
        raise InputError(f"{path}: {key} must be true or false{words}")
    if option.choices and not option.switch and value not in option.choices:
        raise InputError(f"{path}: {key} must be one of {', '.join(option.choices)}")
    if not option.switch and not isinstance(value, str):
        raise InputError(f"{path}: {key} must be a string")
    if option.metavar == "DIR":
        value = os.path.join(os.path.dirname(path), os.path.expanduser(str(value)))
    return option.name, value


def user_file() -> str | None:
    """Return the path of the user's config.toml, or None if it does not exist."""
    path = os.path.join(user_folder() or "", "config.toml")
    return path if os.path.isabs(path) and os.path.isfile(path) else None

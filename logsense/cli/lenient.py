"""Options and settings where a job depends on us: what is wrong with them is left out, and said in one line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from logsense.cli.command_settings import settings_of
from logsense.cli.options import RUN_OPTIONS, Settings
from logsense.cli.quick import is_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.cli.options import Option


def usable_settings(given: dict[str, object], problems: Sequence[str] = ()) -> Settings:
    """The settings from the options `given` and from files, as far as they can be used.

    What is wrong with the files is noted, together with the `problems` that were found before.
    """
    from logsense.cli.errors import error_message
    from logsense.cli.output import note
    from logsense.cli.settings import stored_settings

    wrong, stored = list(problems), {}
    try:
        stored = stored_settings(on_problem=wrong.append)
    except Exception as error:  # noqa: BLE001 - whatever it is, the log is explained
        wrong.append(error_message(error))
    if wrong:
        note(f"ignored: {'; '.join(wrong)}")
    return settings_of(given, stored)


def lenient(arguments: Sequence[str], options: Sequence[Option]) -> tuple[dict[str, object], list[str], list[str]]:
    """The options in `arguments` that can be used, the other words, and what is wrong with the rest, in words.

    Where a job depends on us, a wrong option must not end it. The word after an unknown option belongs to that, unless
    it names a file.
    """
    words = list(arguments)
    inputs: list[str] = []
    given, problems = _taken(words, options, os.path.exists, inputs)
    return given, inputs, problems


def command_behind(arguments: Sequence[str]) -> tuple[dict[str, object], list[str], list[str]]:
    """The options of `run` in `arguments`, the command behind them, and what is wrong with the options."""
    words = list(arguments)
    given, problems = _taken(words, RUN_OPTIONS, _can_run if "--" not in words else lambda _: False)
    return given, words[1:] if words[:1] == ["--"] else words, problems


def _taken(
    words: list[str], options: Sequence[Option], ours: Callable[[str], bool], inputs: list[str] | None = None
) -> tuple[dict[str, object], list[str]]:
    """Takes options from the front of `words`, and what lies between them for `inputs`; else ends at the first word."""
    by_flag = {flag: option for option in options for flag in option.flags}
    given: dict[str, object] = {}
    problems: list[str] = []
    while words and (inputs is not None or (words[0].startswith("-") and words[0] != "--")):
        word = words.pop(0)
        if inputs is not None and (word == "--" or is_input(word)):
            inputs += words if word == "--" else [word]
            if word == "--":
                words.clear()
            continue
        flag, equals, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None:
            problems.append(f"there is no option {flag}{_meant(flag, by_flag)}")
            if not equals and words and not words[0].startswith("-") and not ours(words[0]):
                words.pop(0)
            continue
        if not option.switch and not equals:
            value = words.pop(0) if words and words[0] != "--" else ""
            if not value:
                problems.append(f"{flag} needs a value")
                continue
        if option.choices and value not in option.choices and not (option.switch and not equals):
            problems.append(f"{flag} takes one of {', '.join(option.choices)}")
        elif option.switch and equals and not option.choices:
            problems.append(f"{flag} takes no value")
        else:
            given[option.name] = value if equals or not option.switch else True
    return given, problems


def _meant(flag: str, known: Iterable[str]) -> str:
    from logsense.cli.guess import did_you_mean

    return did_you_mean(flag, known)


def _can_run(word: str) -> bool:
    from shutil import which

    return which(word) is not None

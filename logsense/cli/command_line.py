"""Parse command lines. What is wrong with an option is said in words, never raised: a wrong option must not end a job.

Nothing is imported that a start would have to pay for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from logsense.cli import FOR_ALL
from logsense.cli.options import OPTIONS, RUN_OPTIONS, Option

Parsed = tuple[dict[str, object], list[str], list[str]]  # options by name, the other words, and problems in words


def parse(arguments: Sequence[str], options: Sequence[Option] = OPTIONS) -> Parsed:
    """Return the `options` in `arguments` that can be used, the inputs between them, and what is wrong with the rest.

    The word after an unknown option belongs to that option, unless it names a file.
    """
    words, inputs = list(arguments), list[str]()
    given, problems = _taken(words, options, os.path.exists, inputs)
    return given, inputs, problems


def parse_run(arguments: Sequence[str]) -> Parsed:
    """Return the options of `run` in `arguments`, the command after them, and what is wrong with the options."""
    words = list(arguments)
    given, problems = _taken(words, RUN_OPTIONS, _can_run if "--" not in words else lambda _: False)
    return given, words[1:] if words[:1] == ["--"] else words, problems


def command_first(arguments: Sequence[str], commands: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the command in `arguments`, before or after options, or None, and the other arguments."""
    by_flag = _by_flag(OPTIONS)
    rest = list(arguments)
    index = 0
    while index < len(rest) and rest[index] != "--":
        if is_input(rest[index], by_flag):
            return (rest.pop(index), rest) if rest[index] in commands else (None, rest)
        option = by_flag.get(rest[index])
        index += 2 if option and not option.switch else 1
    return None, rest


def is_input(argument: str, flags: Iterable[str]) -> bool:
    """Return whether `argument` is an input: `-`, a name, or a pasted text, which can start with a dash."""
    if not argument.startswith("-") or argument == "-":
        return True
    return argument.partition("=")[0] not in flags and any(blank in argument for blank in " \n\t")


def _by_flag(options: Iterable[Option]) -> dict[str, Option]:
    return {flag: option for option in options for flag in option.flags}


def _taken(
    words: list[str], options: Sequence[Option], ours: Callable[[str], bool], inputs: list[str] | None = None
) -> tuple[dict[str, object], list[str]]:
    """Take options off the front of `words`, with what is between them for `inputs`; without `inputs`, end there.

    `ours` says whether the word after an unknown option is not its value.
    """
    by_flag = _by_flag(options)
    given: dict[str, object] = {}
    problems: list[str] = []
    while words and (inputs is not None or (words[0].startswith("-") and words[0] != "--")):
        word = words.pop(0)
        if inputs is not None and (word == "--" or is_input(word, by_flag)):
            inputs += words if word == "--" else [word]
            if word == "--":
                words.clear()
            continue
        word = _apart(word, words, by_flag)
        flag, equals, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None or (equals and not flag.startswith("--")):
            meant = f"; the file is ./{word}" if ours(word) else _meant(flag, by_flag)
            problems.append(f"there is no option {flag}{meant}")
            if not equals and words and not words[0].startswith("-") and not ours(words[0]):
                words.pop(0)
            continue
        if not option.switch and not equals:
            value = words.pop(0) if words and words[0] != "--" else ""
            if not value:
                problems.append(f"{flag} needs {_wanted(option)}")
                continue
        if problem := _refused(flag, value, option) if equals or not option.switch else "":
            problems.append(problem)
        else:
            given[option.name] = value if equals or not option.switch else True
    return given, problems


def _apart(word: str, words: list[str], by_flag: Mapping[str, Option]) -> str:
    """Return the first of several short options in `word`, such as -qv or -fjson; the rest goes back to `words`."""
    option = by_flag.get(word[:2])
    if word.startswith("--") or option is None or len(word) == 2 or word[2] == "=":
        return word
    if option.switch and f"-{word[2]}" not in by_flag:
        return word
    words.insert(0, f"-{word[2:]}" if option.switch else word[2:])
    return word[:2]


def _wanted(option: Option) -> str:
    return f"one of {', '.join(option.choices)}" if option.choices else option.metavar


def _refused(flag: str, value: str, option: Option) -> str:
    """Return what is wrong with the `value` of an option; "" if nothing is."""
    if value in option.choices or not (option.switch or option.choices):
        return ""
    if option.switch:
        return f"{flag} takes no value" + (f", or {_wanted(option)} after =" if option.choices else "")
    known = ", ".join(map(repr, option.choices))
    return f"{flag}: {value!r} is not one of {known}{_meant(value.lower(), option.choices)}"


def _meant(word: str, known: Iterable[str]) -> str:
    if word in FOR_ALL:  # what is like it need not be searched for
        return ""
    from logsense.cli.suggestions import did_you_mean

    return did_you_mean(word, known)


def _can_run(word: str) -> bool:
    from shutil import which

    return which(word) is not None

"""Parse plain command lines of `logsense explain` without importing a command-line library."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.cli.options import OPTIONS, Option

_BY_FLAG = {flag: option for option in OPTIONS for flag in option.flags}


def parse(arguments: Sequence[str]) -> dict[str, object] | None:
    """Return the options and inputs in `arguments` by name, or None if the full command line has to parse them.

    That one shows help and reports errors.
    """
    given: dict[str, object] = {}
    inputs: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            inputs.extend(rest)
        elif is_input(argument):
            inputs.append(argument)
        else:
            flag, equals, value = argument.partition("=")
            option = _BY_FLAG.get(flag)
            if option is None or (equals and not flag.startswith("--")):
                return None
            if option.switch and not equals:
                given[option.name] = True
                continue
            text = value if equals else next(rest, None)
            if text is None or ((option.switch or option.choices) and text not in option.choices):
                return None
            given[option.name] = text
    given["inputs"] = tuple(inputs)
    return given


def is_input(argument: str) -> bool:
    """Return whether `argument` is an input: `-`, a name, or a pasted text, which can start with a dash."""
    if not argument.startswith("-") or argument == "-":
        return True
    return argument.partition("=")[0] not in _BY_FLAG and any(blank in argument for blank in " \n\t")


def option_of(argument: str) -> Option | None:
    """Return the option whose value is the argument after `argument`, or None."""
    option = _BY_FLAG.get(argument)
    return option if option and not option.switch else None


def command_first(arguments: Sequence[str], commands: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the command in `arguments`, before or after options, or None, and the other arguments."""
    rest = list(arguments)
    index = 0
    while index < len(rest) and rest[index] != "--":
        if is_input(rest[index]):
            return (rest.pop(index), rest) if rest[index] in commands else (None, rest)
        index += 2 if option_of(rest[index]) else 1
    return None, rest

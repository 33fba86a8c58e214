"""Renamed options, settings and commands: the old names still work for a while, with a note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Old name: new name, and the version that drops the old name (docs/stability.md).
FLAGS: Mapping[str, tuple[str, str]] = {}
SETTINGS: Mapping[str, tuple[str, str]] = {}
COMMANDS: Mapping[str, tuple[str, str]] = {}


def with_new_names(
    arguments: Sequence[str],
    flags: Mapping[str, tuple[str, str]] = FLAGS,
    commands: Mapping[str, tuple[str, str]] = COMMANDS,
) -> list[str]:
    """Return `arguments` with old names replaced by the new ones, and print a note for each.

    Words after `--`, or after the command of `run`, belong to another program.
    """
    words = list(arguments)
    if not flags and not commands:
        return words
    if words and words[0] in commands:
        words[0] = replacement(words[0], commands[words[0]])
    end = words.index("--") if "--" in words else len(words)
    if words[:1] == ["run"]:
        end = next((at for at in range(1, end) if not words[at].startswith("-")), end)
    for at in range(end):
        flag, equals, value = words[at].partition("=")
        if flag in flags:
            words[at] = f"{replacement(flag, flags[flag])}{equals}{value}"
    return words


def replacement(old: str, now: tuple[str, str]) -> str:
    """Return the new name for `old`, and print a note."""
    from logsense.cli.output import note

    new, version = now
    note(f"{old} is now called {new}; version {version} drops the old name")
    return new

"""Options, settings and commands that were renamed: the old name works for a while, and says what to write instead."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What each was called before, what it is called now, and the version that forgets the old name (docs/stability.md).
FLAGS: Mapping[str, tuple[str, str]] = {}
SETTINGS: Mapping[str, tuple[str, str]] = {}
COMMANDS: Mapping[str, tuple[str, str]] = {}


def renewed(
    arguments: Sequence[str],
    flags: Mapping[str, tuple[str, str]] = FLAGS,
    commands: Mapping[str, tuple[str, str]] = COMMANDS,
) -> list[str]:
    """`arguments` with what was renamed under its new name, and a line on standard error for each.

    What stands behind `--`, or is given to `run` behind the command, is somebody else's.
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
    """The new name for `old`; says so on standard error."""
    from logsense.cli.output import note

    new, version = now
    note(f"{old} is now called {new}; the old name goes with version {version}")
    return new

"""Commands that are written for a Linux shell, as another system takes them; left out where it knows no such thing.

They are written for NVIDIA's GPUs and for programs in Python, too, and told for what was used.
"""

from __future__ import annotations

import re

from logsense.diagnose.searcher import Searcher
from logsense.model.system import DEVICE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.system import Commands, System

# Whose lines have no use where it is lacked.
PYTHON = "python"
NOTE = re.compile(r"(?:^|\s+)# .*$")


def in_dialect(command: str, system: System | None) -> str | None:
    """`command` as `system` takes it; None where it has no such command. Options and lines of Python stay."""
    if system is None or system.commands is None:
        return command
    commands = system.commands
    if system.kind != DEVICE and (command.startswith("-") or _is_python(command)):
        return None if PYTHON in commands.lacks and not command.startswith("-") else command
    if any(text in command for text in commands.without) or _names(command) & commands.lacks:
        return None
    try:
        if commands.apart:
            from logsense.diagnose.retold import retold

            return retold(command, commands, timed=system.timed)
        return "\n".join(_whole(command, commands, timed=system.timed))
    except TimeoutError:
        return None


def in_words(advice: str, device: System) -> str:
    """A sentence with the names that programs and variables have for `device`."""
    try:
        return _rewritten(advice, device.commands, timed=device.timed) if device.commands else advice
    except TimeoutError:
        return advice


def _rewritten(text: str, commands: Commands, *, timed: bool) -> str:
    for pattern, put in commands.rewrites:
        text = Searcher(pattern, timed=timed).replaced(put, text)
    return text


def _is_python(command: str) -> bool:
    """Whether it is a line of Python rather than of a shell: it parses as Python, and calls or sets something."""
    if not re.search(r"\w\(|\s=\s", command):
        return False
    try:
        compile(command, "", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _names(command: str) -> set[str]:
    """The words that stand where a program's name may."""
    return set(re.findall(r"(?:^|[;&|(\n]\s*)(?:sudo\s+(?:-\w+\s+)*)?(?:[A-Za-z_]\w*=\S*\s+)*([\w.+-]+)", command))


def _whole(command: str, commands: Commands, *, timed: bool) -> list[str]:
    """The lines of `command`, each changed as a whole."""
    lines = []
    for line in command.split("\n"):
        told = _rewritten(line, commands, timed=timed)
        body = NOTE.sub("", told)
        found = re.fullmatch(r"export((?: \w+=[\w.:/,+-]*)+)", body) if commands.sets else None
        if found:
            lines += [commands.before_sets] if commands.before_sets else []
            for one in found[1].split():
                name, _, value = one.partition("=")
                lines.append(commands.sets.format(name=name, value=value))
        else:
            lines.append(_begin(body, commands, timed=timed) + told)
    return lines


def _begin(body: str, commands: Commands, *, timed: bool) -> str:
    """What is set in front of a line that says `body`."""
    if not body or (commands.as_is and Searcher(commands.as_is, timed=timed).is_in(body)):
        return ""
    return next((put for pattern, put in commands.begins if Searcher(pattern, timed=timed).is_all(body)), "")

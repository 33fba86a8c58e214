"""The platforms that runs use: how logs show them, and how they take commands written for the usual one."""

from __future__ import annotations

from logsense.util.noun import NamedTuple


class Sign(NamedTuple):
    """A regex that shows a system; `holds` are texts of which every match contains one."""

    holds: tuple[str, ...]
    pattern: str


class Rewrite(NamedTuple):
    """Replaces what matches `pattern` in a command by `put`, or puts it in front."""

    pattern: str
    put: str


class Filter(NamedTuple):
    """A program after a pipe that selects lines by plain words, and its equivalent on the system.

    `options` are the letters that it may be called with, `flags` their equivalents. `put` holds {flags} and {words};
    `between` separates several words where the original has a bar.
    """

    program: str
    options: str
    flags: dict[str, str]
    between: str
    put: str


class Commands(NamedTuple):
    """How a system takes a command; `lacks` are programs that it does not have, `knows` all that it has (empty: any).

    Programs that it `drops` after a pipe only shorten the output. Commands with one of the texts `without` are left
    out. `rewrites` apply in order. If `apart`, a line is split and translated command by command: `sets`, `sets_quoted`
    and `unsets` are the forms of a variable {name} with a {value}; words that match `unsafe` or `foreign` can't be
    translated. Otherwise a line stays whole: `sets` stands for each variable that it exports, below `before_sets`; a
    line that matches `as_is` stays unchanged, any other gets the `put` of the first of `begins` that it matches in
    front.
    """

    apart: bool
    lacks: frozenset[str] = frozenset()
    knows: frozenset[str] = frozenset()
    drops: frozenset[str] = frozenset()
    without: tuple[str, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    filters: tuple[Filter, ...] = ()
    sets: str = ""
    sets_quoted: str = ""
    unsets: str = ""
    before_sets: str = ""
    unsafe: str = ""
    foreign: str = ""
    as_is: str = ""
    begins: tuple[Rewrite, ...] = ()


# The operating system, the make of the accelerator, the language of the program, and what installs its packages.
MACHINE, DEVICE, LANGUAGE, INSTALLER = KINDS = ("machine", "device", "language", "installer")


class System(NamedTuple):
    """A system by its `name`, with what shows it: `signs` in texts, and `found`, ids of messages that only it prints.

    A run has one system of each `kind`. `names` show that a text is about the system, even if nothing runs on it. A
    `certain` system runs on top of others, so any sign of it decides. Commands are written for the `usual` one.
    `commands` is None if commands stay unchanged. `timed` patterns, as from a user's own file, are searched with a time
    limit.
    """

    name: str
    title: str
    signs: tuple[Sign, ...]
    found: tuple[str, ...] = ()
    certain: bool = False
    usual: bool = False
    commands: Commands | None = None
    timed: bool = False
    kind: str = MACHINE
    names: tuple[Sign, ...] = ()

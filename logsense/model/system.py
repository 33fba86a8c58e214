"""What runs die on, and in: what shows each in a log, and how it takes commands that are written for the usual one."""

from __future__ import annotations

from logsense.util.noun import NamedTuple


class Sign(NamedTuple):
    """A regex for what shows a system; `holds` are texts of which every match contains one."""

    holds: tuple[str, ...]
    pattern: str


class Rewrite(NamedTuple):
    """What takes the place (`put`) of that which matches `pattern` in a command; or what is set in front of it."""

    pattern: str
    put: str


class Filter(NamedTuple):
    """A program behind a pipe that keeps lines with plain words, as the system has it.

    `options` are the letters that it may be called with, `flags` what some of them become. `put` holds {flags} and
    {words}, several words with `between` where the original has a bar.
    """

    program: str
    options: str
    flags: dict[str, str]
    between: str
    put: str


class Commands(NamedTuple):
    """How a system takes a command; `lacks` are programs that it does not have, `knows` all that it has (empty: any).

    Programs that it `drops` behind a bar only shorten what is shown. Commands with one of the texts `without` are left
    out. `rewrites` are tried one by one. Where `apart`, a line is taken apart and told command by command: `sets`,
    `sets_quoted` and `unsets` are what becomes of a variable {name} with a {value}; a word that matches `unsafe` can't
    be told, nor one that matches `foreign`. Else a line stays whole: `sets` stands for each variable that it exports,
    below `before_sets`; a line that matches `as_is` stays as it is, another gets the `put` of the first of `begins`
    that it matches in front.
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


# The machine's own system; the make of the accelerator that the run used; the language that its program is written in.
MACHINE, DEVICE, LANGUAGE = KINDS = ("machine", "device", "language")


class System(NamedTuple):
    """A system by its `name`, with what shows it: `signs` in texts, and `found`, ids of messages that it alone prints.

    It is one of a `kind`, of which a run has one each. `names` show that a text is about it, also where nothing runs on
    it. One that is `certain` runs on others, so any sign of it decides. The one that is `usual` is what commands are
    written for. `commands` is None where they stay as they are. Patterns that are `timed`, as those of a user's own
    file, are searched under a time limit.
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

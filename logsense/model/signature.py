"""A signature: a curated pattern for one message. It says which message this is, never why."""

from __future__ import annotations

from logsense.util.noun import NamedTuple

KINDS = ("failure", "consequence", "hint", "fact", "progress", "checkpoint", "start", "end", "noise")
TRAITS = ("refusal", "announces", "generic", "stalled", "goes_on", "beside", "of_task", "without_gpu", "idle")
FIXES_COMPLETE = "complete"
FIXES_OF_CAUSE = "of_cause"  # the message has none of its own, and needs none


class Sample(NamedTuple):
    """A text that a signature must match, with these captures, or a near miss, which it must not."""

    text: str
    captures: dict[str, object]


class Pattern(NamedTuple):
    """One spelling of a message: the compiled regex's source, its slots' types, the literal it must contain.

    `words` stand in every match, in this order, one behind the other.
    """

    regex: str
    slots: dict[str, str]
    literal: str
    words: tuple[str, ...] = ()


class Signature(NamedTuple):
    """One message that programs print. See docs/writing-rules.md for the file that it is read from.

    `kind` is one of KINDS. `facts` maps the name of a fact to the slot that holds its value, or to a constant
    written with a leading "=". `ends_run` marks a message after which whatever follows belongs to another run. `timed`
    marks hand-written regexes of a user's own, which are searched under a time limit. `consequence_of` are the ids,
    which may hold a `*`, of what a consequence follows from, nearest first. `traits` are some of TRAITS: a `refusal`
    comes from a program that has not begun to work, an exception printed below one that `announces` belongs to it, and
    one that is `generic` stands for any exception, or for progress of any program. What is `stalled` waited in vain;
    what `goes_on`, as a shell does, ended nothing that failed later by itself. What is raised below one that is
    `beside` ended a thread, not the program. A run that goes on after one that is `without_gpu` does so on the CPU;
    one that ends after an `idle` one, without progress, did nothing.
    Where `fixes_complete`, its own fixes are all that fit: no others are offered beside them.
    """

    id: str
    title: str
    kind: str
    match: tuple[Pattern, ...]
    also: tuple[Pattern, ...]
    facts: dict[str, str]
    says: str
    ends_run: bool
    timed: bool
    ignore_case: bool
    printed_by: tuple[str, ...]
    consequence_of: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    fixes_complete: bool = False

    @property
    def program(self) -> str:
        """The program that prints the message: the first part of the id."""
        return self.id.partition(".")[0]

"""The catalog: all signatures, rules, facts, tables and causes, decoded when they are asked for."""

from __future__ import annotations

from bisect import bisect_left
from types import MappingProxyType
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Protocol

    from logsense.model.rule import FactSpec, Phase, Rule, Table
    from logsense.model.signature import Signature


if TYPE_CHECKING:

    class RulesFor(Protocol):
        """How rules are asked for."""

        def __call__(self, ids: frozenset[str], stated: Collection[str] | None = None) -> list[Rule]:
            """See Catalog."""


LITERAL_MAX = 64  # characters
LONGEST_BYTES = 8 * LITERAL_MAX  # of a literal, in lower case too


class Literal(NamedTuple):
    """A text that the scanner looks for, and the signatures (by index) that it stands for."""

    text: str
    ignore_case: bool
    signatures: Sequence[int]

    @property
    def size_bytes(self) -> int:
        """The length of the text, encoded."""
        return len(self.text.encode())


class Program(NamedTuple):
    """A program that prints messages: its framework, if it is or belongs to one, and texts of its files' paths."""

    title: str
    framework: str
    paths: tuple[str, ...]


class Problem(NamedTuple):
    """Something wrong in a catalog file; `line` and `column` count from 1."""

    file: str
    line: int
    column: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.sentence}"


MOST_EXPANDED = 10_000
_expanded: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}  # a process that reads many logs asks again


class Catalog(NamedTuple):
    """All knowledge. `key` changes whenever any of it does.

    `literals` are those of every signature but the progress ones, whose indices and literals are in `progress`.
    `ids` are in order; `ids[i]` is that of `signature(i)`. `rules_for(ids, stated)` gives the rules that could hold
    when these signatures were found and just these facts stated (None: any), without their texts; `rule(cause)` gives
    all of one. `verdicts` says why each verdict on running again is given, `renamed` what ids of signatures of before
    are called now. `problems` says what was left out because it could not be read.
    """

    key: str
    ids: tuple[str, ...]
    literals: tuple[Literal, ...]
    progress: tuple[tuple[int, tuple[str, ...]], ...]
    signature: Callable[[int], Signature]
    rules_for: RulesFor
    rule: Callable[[str], Rule | None]
    facts: Callable[[], dict[str, FactSpec]]
    phases: Callable[[], tuple[Phase, ...]]
    table: Callable[[str], Table | None]
    programs: Callable[[], dict[str, Program]]
    causes: dict[str, str]
    verdicts: dict[str, str]
    renamed: Mapping[str, str] = MappingProxyType({})
    problems: tuple[Problem, ...] = ()
    cache_folder: str | None = None

    def expand(self, ids: tuple[str, ...]) -> frozenset[str]:
        """The signature ids that `ids`, which may end in or hold a `*`, stand for."""
        known = _expanded.get((self.key, ids))
        if known is not None:
            return known
        found: set[str] = set()
        for one in ids:
            if "*" in one:
                head, _, tail = one.partition("*")
                for number in range(bisect_left(self.ids, head), len(self.ids)):
                    if not self.ids[number].startswith(head):
                        break
                    if self.ids[number].endswith(tail):
                        found.add(self.ids[number])
            else:
                found.add(one)
        if len(_expanded) >= MOST_EXPANDED:
            _expanded.clear()
        _expanded[(self.key, ids)] = frozenset(found)
        return _expanded[(self.key, ids)]

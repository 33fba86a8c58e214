"""The catalog: all signatures, rules, facts, tables and causes, decoded on demand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from logsense.model.rule import FactSpec, Phase, RerunRule, Rule, Settings, Table
from logsense.model.signature import Signature
from logsense.model.system import System
from logsense.util.noun import NamedTuple

RulesFor = Callable[[frozenset[str], Collection[str]], list[Rule]]

LITERAL_MAX = 64  # characters
BEGIN = 5  # characters of a literal that are searched for first
LONGEST_BYTES = 8 * LITERAL_MAX  # of an encoded literal, also in lower case


def unusual_texts(texts: Sequence[str]) -> list[int]:
    """Return the numbers of the texts that are not ASCII or shorter than BEGIN, by which others are found."""
    return [number for number, text in enumerate(texts) if not text.isascii() or len(text) < BEGIN]


class Literals:
    """Thousands of texts, sorted, that the scanner searches for."""

    __slots__ = ("_longest", "_signatures", "folded", "odd", "texts")

    def __init__(
        self, texts: Sequence[str], folded: frozenset[int], odd: Sequence[int], signatures: Sequence[Sequence[int]]
    ) -> None:
        """Text `n` stands for `signatures[n]`; those in `folded` ignore case; `odd` is the result of
        `unusual_texts`."""
        self.texts, self.folded, self.odd, self._signatures = texts, folded, odd, signatures
        self._longest: dict[int, dict[int, str]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def signatures(self, number: int) -> Sequence[int]:
        """Return the indices of the signatures that literal `number` stands for."""
        return self._signatures[number]

    def size_bytes(self, number: int) -> int:
        """Return the length of literal `number`, encoded."""
        text = self.texts[number]
        return len(text) if text.isascii() else len(text.encode())

    def longest(self, least: int) -> dict[int, str]:
        """Return, for each signature, its longest literal of at least `least` characters; of equals the last."""
        if least not in self._longest:
            found: dict[int, str] = {}
            for number, text in enumerate(self.texts):
                if len(text) >= least:
                    for signature in self.signatures(number):
                        if len(text) >= len(found.get(signature, "")):
                            found[signature] = text
            self._longest[least] = found  # cached for processes that read many logs
        return self._longest[least]


class Program(NamedTuple):
    """A program that prints messages: its framework, if it is or belongs to one, and parts of its files' paths.

    If it is `shared`, other frameworks load it too and print its messages. `commands` are further names that start it.
    """

    title: str
    framework: str
    paths: tuple[str, ...]
    shared: bool = False
    commands: tuple[str, ...] = ()


class Problem(NamedTuple):
    """An error in a catalog file; `line` and `column` count from 1."""

    file: str
    line: int
    column: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.sentence}"


MOST_EXPANDED = 10_000
_expanded: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}  # cached for processes that read many logs


class Catalog(NamedTuple):
    """All knowledge. `key` changes whenever any of it does.

    `literals` are those of all signatures except progress ones, whose indices and literals are in `progress`. `ids` is
    sorted; `ids[i]` belongs to `signature(i)`. `rules_for(ids, stated)` returns the rules that could hold given these
    signatures and stated facts, without their texts; `rule(cause)` returns a complete one; `causes_of()` maps each
    signature id to the causes that it has arguments for. `reruns` says what each class of failure means for a rerun,
    `settings` what shows each setting that fixes apply to; `renamed` maps former signature ids to current ones.
    `problems` lists what was skipped because it could not be read.
    """

    key: str
    ids: tuple[str, ...]
    literals: Literals
    progress: tuple[tuple[int, tuple[str, ...]], ...]
    signature: Callable[[int], Signature]
    rules_for: RulesFor
    rule: Callable[[str], Rule | None]
    causes_of: Callable[[], dict[str, tuple[str, ...]]]
    facts: Callable[[], dict[str, FactSpec]]
    phases: Callable[[], tuple[Phase, ...]]
    reruns: Callable[[], tuple[RerunRule, ...]]
    settings: Callable[[], Settings]
    table: Callable[[str], Table | None]
    systems: Callable[[], dict[str, System]]
    programs: Callable[[], dict[str, Program]]
    causes: dict[str, str]
    renamed: Mapping[str, str] = MappingProxyType({})
    problems: tuple[Problem, ...] = ()
    cache_folder: str | None = None

    def find(self, name: str) -> Signature | None:
        """Return the signature with the id `name`; None if there is none."""
        number = bisect_left(self.ids, name)
        return self.signature(number) if self.ids[number : number + 1] == (name,) else None

    def expand(self, ids: tuple[str, ...]) -> frozenset[str]:
        """Return the signature ids that match `ids`, which may contain a `*`."""
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

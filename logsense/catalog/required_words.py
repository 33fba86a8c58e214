"""Tells which texts stand in all that a hand-written regex matches, so that most lines are known not to hold it.

Of each regex a few sets are kept; something of each set stands in every match, whatever its case. It is what Russ Cox
describes in "Regular Expression Matching with a Trigram Index" (https://swtch.com/~rsc/regexp/regexp4.html), for whole
words and with the tree of Python's own parser (https://github.com/python/cpython/blob/main/Lib/re/_parser.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product

from logsense.util import regexes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Texts = frozenset[str]
    Known = tuple[Texts | None, list[Texts]]

MOST_EXACT = 64  # texts that are followed through a regex
SHORTEST, MOST_TEXTS, MOST_GATES = 3, 48, 3
MOST_LETTERS = 4  # of a set of characters that is followed as texts
MOST_CODE = 128  # characters from here on may have other cases than str.lower() gives
_NOTHING: Texts = frozenset({""})


def required_words(regex: str, literals: Collection[str] = ()) -> tuple[tuple[str, ...], ...]:
    """Sets of lower-case texts: of each set one stands in every match, lower-cased. () where nothing is known.

    Sets that hold wherever one of `literals` stands are left out.
    """
    tree = regexes.tree(regex)
    if tree is None:
        return ()
    exact, found = _sequence(tree)
    if exact is not None:
        found = [*found, exact]
    given = [literal.lower() for literal in literals]
    useful = {
        least
        for least in map(_least, found)
        if _is_useful(least) and not all(any(text in literal for text in least) for literal in given or [""])
    }
    return tuple(tuple(sorted(one)) for one in sorted(useful, key=_cost)[:MOST_GATES])


def _is_useful(texts: Texts) -> bool:
    return 0 < len(texts) <= MOST_TEXTS and min(map(len, texts)) >= SHORTEST


def _cost(texts: Texts) -> tuple[int, int, list[str]]:
    return -min(*map(len, texts), 6), len(texts), sorted(texts)


def _least(texts: Texts) -> Texts:
    """`texts` without those that hold another of them."""
    return frozenset(text for text in texts if not any(other in text for other in texts if other != text))


def _sequence(tree: Iterable[Any]) -> Known:
    now, exact, found = _NOTHING, True, list[frozenset[str]]()
    for kind, argument in tree:
        part, more = _part(str(kind), argument)
        found += more
        if part is None or len(now) * len(part) > MOST_EXACT:
            found.append(now)
            now, exact = part or _NOTHING, False
        else:
            now = frozenset(map("".join, product(now, part)))
    return (now, found) if exact else (None, [*found, now])


def _part(kind: str, argument: Any) -> Known:
    """What is known of one node of the parser's tree."""
    if kind == "LITERAL":
        return _letters([(kind, argument)]), []
    if kind == "IN":
        return _letters(argument), []
    if kind == "SUBPATTERN":
        return _sequence(argument[3])
    if kind == "ATOMIC_GROUP":
        return _sequence(argument)
    if kind == "BRANCH":
        return _either([_sequence(branch) for branch in argument[1]])
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _repeated(*argument)
    if kind == "ASSERT":  # what it sees stands in the text, though not in the match's own place
        exact, found = _sequence(argument[1])
        return _NOTHING, [*found, exact] if exact else found
    return (_NOTHING if kind in ("AT", "ASSERT_NOT") else None), []


def _letters(items: Any) -> Texts | None:
    if len(items) > 2 * MOST_LETTERS or any(str(kind) != "LITERAL" or code >= MOST_CODE for kind, code in items):
        return None
    letters = frozenset(chr(code).lower() for _, code in items)
    return letters if len(letters) <= MOST_LETTERS else None


def _repeated(least: int, most: int, tree: Any) -> Known:
    exact, found = _sequence(tree)
    if (least, most) == (1, 1):
        return exact, found
    if least == 0:
        return (exact | _NOTHING if most == 1 and exact is not None else None), []
    return None, [*found, exact] if exact is not None else found


def _either(branches: list[Known]) -> Known:
    together: Texts = frozenset()
    for exact, _ in branches:
        together |= exact if exact is not None else frozenset()
    if all(exact is not None for exact, _ in branches) and len(together) <= MOST_EXACT:
        return together, []
    chosen: Texts = frozenset()
    for exact, found in branches:
        sets = map(_least, found if exact is None else [*found, exact])
        best = min(filter(_is_useful, sets), key=_cost, default=None)
        if best is None:
            return None, []
        chosen |= best
    return None, [chosen]

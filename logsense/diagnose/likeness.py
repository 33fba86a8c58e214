"""Likens a message that no signature knows to those that are known, by its words: of which cause could it tell?

The texts nearest to it vote, as in a search engine: a word counts more the fewer texts have it (tf-idf), the nearness
of two texts is the cosine between their words, and each of the nearest counts by the square of its nearness.
"""

from __future__ import annotations

import math

from logsense.model.noun import NamedTuple
from logsense.model.words import weight, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.catalog import Likeness

NEAREST = 12


class Likely(NamedTuple):
    """A cause, and its share of the votes. `nearness` is that of the text nearest to the message, from 0 to 1."""

    cause: str
    share: float
    nearness: float


def likely_causes(text: str, known: Likeness) -> list[Likely]:
    """The causes that `text` may tell of, most likely first; none where it has no known word."""
    count = len(known.cause_of)
    with_word = {word: known.texts_with(word) for word in set(words_of(text))}
    weights = {word: weight(count, len(texts)) for word, texts in with_word.items()}
    near: dict[int, float] = {}
    for word, texts in with_word.items():
        for number in texts:
            near[number] = near.get(number, 0.0) + weights[word] ** 2
    length = math.hypot(*weights.values()) / 100
    nearest = sorted(((product / length / known.lengths[number], number) for number, product in near.items()))
    votes: dict[int, float] = {}
    for nearness, number in nearest[-NEAREST:]:
        cause = known.cause_of[number]
        votes[cause] = votes.get(cause, 0.0) + nearness**2
    total = sum(votes.values())
    ordered = sorted(votes, key=lambda one: -votes[one])
    return [Likely(known.causes[cause], votes[cause] / total, min(1.0, nearest[-1][0])) for cause in ordered]

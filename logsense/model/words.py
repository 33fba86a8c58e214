"""The words by which a message may be likened to others: without what differs from run to run."""

from __future__ import annotations

import math
import re
from itertools import pairwise

_PATH = re.compile(r"(?<![\w.:-])[\w.:-]*[/\\][\w./\\:+-]+")
_NUMBER = re.compile(r"0x[0-9a-f]+|\d[\d.,:]*")
_WORD = re.compile(r"[a-z]{2,}|#|\[\]")
_ENDING = re.compile(r"(?:s|ed|ing)$")
_LONG = 5  # letters; from a longer word its ending is taken off
_COMMON = frozenset(
    ("a", "and", "as", "at", "be", "by", "for", "in", "is", "it", "of", "on", "or", "that", "the", "this", "to")
)


def weight(texts: int, with_word: int) -> float:
    """What a word counts that `with_word` of so many texts have: tf-idf, where each word counts once."""
    return math.log((texts + 1) / (with_word + 0.5))


def words_of(text: str) -> list[str]:
    """The words of `text` in lower case, without their endings, and each pair of neighbours; numbers count as `#`."""
    text = _NUMBER.sub(" # ", _PATH.sub(" ", text.lower()))
    words = [
        _ENDING.sub("", word) if len(word) > _LONG else word for word in _WORD.findall(text) if word not in _COMMON
    ]
    return words + [f"{one} {other}" for one, other in pairwise(words)]

"""Find the known messages that a line resembles."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.knowledge import Catalog
from logsense.model.signature import Signature
from logsense.util.regexes import Lazy

KINDS = ("failure", "consequence", "hint")
SHORTEST, LONGEST = 12, 400  # characters of a literal that is compared, and of a line
LEAST_SHARE = 0.6  # of the length of a literal that a line must have
MOST = 12  # messages that are looked at for each line
# Similarity, in percent, from which a known message is worth naming, and from which each of its words must be there.
NEAR, SAME = 75.0, 86.0
# A word, and how similar, in percent, a mistyped or cut one is to it.
WORD, MISTYPED = Lazy(r"[^\W\d_]{4,}"), 70.0


def resembling(lines: Sequence[str], catalog: Catalog) -> list[tuple[Signature, float]]:
    """Return the known messages nearest to `lines`, most similar first, with their similarity in percent."""
    from rapidfuzz import fuzz, process

    wanted = catalog.literals.longest(SHORTEST)
    best: dict[int, float] = {}
    for line in lines:
        text = line[:LONGEST]
        for known, score, index in process.extract(
            text, wanted, scorer=fuzz.partial_ratio, score_cutoff=NEAR, limit=MOST
        ):
            if score >= SAME and not _same_words(text, known):
                score = NEAR
            if len(text) >= len(known) * LEAST_SHARE and score > best.get(index, 0.0):
                best[index] = score
    found = [(catalog.signature(index), score) for index, score in best.items()]
    failing = [(one, score) for one, score in found if one.kind in KINDS]
    return sorted(failing, key=lambda pair: (-pair[1], -len(pair[0].match[0].literal)))


def _same_words(text: str, known: str) -> bool:
    """Return whether `text` has each longer word of `known`, perhaps mistyped, where the two are most similar.

    A text with another word in its place is another message.
    """
    from rapidfuzz import fuzz

    at = fuzz.partial_ratio_alignment(text, known)
    if at is None:
        return False
    begin, end = text.rfind(" ", 0, at.src_start + 1) + 1, text.find(" ", max(at.src_end - 1, 0))
    there = WORD.findall(text[begin : end if end >= 0 else None])
    wanted = WORD.findall(known[at.dest_start : at.dest_end])
    return all(any(fuzz.ratio(word, one) >= MISTYPED for one in there) for word in wanted)

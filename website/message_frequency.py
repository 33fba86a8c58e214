"""Counts in how many samples of other messages a message is found too; a rare message is more significant."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from logsense.authoring.selftest import find_in
from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.signatures import decode_samples
from logsense.catalog.yaml_files import read_yaml
from logsense.match.loose import loose
from logsense.model.knowledge import Catalog
from logsense.model.signature import Signature
from logsense.util import regexes

MOST_TRIED = 100  # texts searched per message


class Sampled(NamedTuple):
    """A text of the corpus, and the message that it is a sample of (or, if `near`, a near miss)."""

    id: str
    text: str
    near: bool


def samples() -> list[Sampled]:
    """Return all samples of the built-in corpus, in the order of its files."""
    found = []
    for name, _ in listing(built_in("corpus")):
        data, _ = read_yaml(os.path.join(built_in("corpus"), name))
        if isinstance(data, dict) and "id" in data:
            positive, negative = decode_samples(data, Problems())
            found += [Sampled(str(data["id"]), one.text, one in negative) for one in (*positive, *negative)]
    return found


def other_samples_with(catalog: Catalog, sampled: list[Sampled]) -> Counter[str]:
    """Return for each message id the number of samples of other messages that hold it too, extrapolated."""
    texts = [one for one in sampled if not one.near]
    flat = [" ".join(one.text.split()) for one in texts]
    starts = [0, *accumulate(len(one) + 1 for one in flat)]
    plain = "\n".join(flat)
    found: Counter[str] = Counter()
    for number, name in enumerate(catalog.ids):
        signature = catalog.signature(number)
        within = plain.lower() if signature.ignore_case else plain
        places: set[int] = set()
        for literal in {" ".join(pattern.literal.split()) for pattern in signature.match}:
            places.update(_holding(literal.lower() if signature.ignore_case else literal, within, starts))
        others = [texts[one].text for one in sorted(places) if texts[one].id != name]
        likely = [text for text in others if _may_hold(signature, text)]
        tried = likely[:: len(likely) // MOST_TRIED + 1]
        held = sum(find_in(signature, text) is not None for text in tried)
        found[name] = round(held * len(likely) / max(len(tried), 1))
    return found


def _may_hold(signature: Signature, text: str) -> bool:
    """Return whether a regex of the signature matches the raw text, a quick check before parsing the text as a log."""
    flags = re.IGNORECASE if signature.ignore_case else 0
    return any(regexes.compiled(regex, flags).search(text) for regex in {loose(one).regex for one in signature.match})


def _holding(literal: str, plain: str, starts: list[int]) -> Iterator[int]:
    """Yield the numbers of the texts that hold `literal`."""
    at = plain.find(literal)
    while at >= 0:
        number = bisect_right(starts, at) - 1
        yield number
        at = plain.find(literal, starts[number + 1])

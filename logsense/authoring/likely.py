"""Which causes a message means most often by itself: what logsense says of the message's own samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text

TRIED = 3  # samples of a message


def likely(catalog: Catalog, strengths: Mapping[str, float], samples: Sequence[str]) -> list[str]:
    """Return the causes in `strengths`, likeliest first: as the message's `samples` are explained, and where they leave
    it open, by how strongly the message speaks for each."""
    said = dict.fromkeys(strengths, 0.0)
    for text in samples[:TRIED] if len(strengths) > 1 else ():
        for diagnosis in explain_text(text.encode(), catalog).diagnoses:
            if diagnosis.cause in said:
                said[diagnosis.cause] += diagnosis.confidence
    return sorted(said, key=lambda one: (-said[one], -strengths[one], one))

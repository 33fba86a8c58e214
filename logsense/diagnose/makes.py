"""Which makes of accelerators a text names: what is not known is not likened to a message about another make."""

from __future__ import annotations

from logsense.diagnose.searcher import times_in
from logsense.model.system import DEVICE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.catalog import Catalog
    from logsense.model.signature import Signature


def makes_in(text: str, catalog: Catalog) -> frozenset[str]:
    """The names of the makes whose devices or programs `text` names."""
    return frozenset(
        system.name
        for system in catalog.systems().values()
        if system.kind == DEVICE and any(times_in(text, sign, timed=system.timed) for sign in system.names)
    )


def makes_of(signature: Signature, catalog: Catalog) -> frozenset[str]:
    """The names of the makes that a known message is about, by its words and its program."""
    said = (signature.id, signature.title, *(pattern.literal for pattern in signature.match))
    return makes_in("\n".join(said), catalog)


def is_of_another(make: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts are about devices of different makes."""
    return bool(make) and bool(other) and make.isdisjoint(other)

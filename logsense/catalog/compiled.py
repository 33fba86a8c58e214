"""The compiled catalog, whose parts are read when they are first asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from functools import cache

from logsense.catalog.scoring_parts import ScoringParts
from logsense.catalog.stored import NumberLists, Store
from logsense.model.knowledge import Catalog, Literals
from logsense.model.rule import Rule, Table
from logsense.model.signature import Signature


def catalog_in(store: Store, key: str, cache_folder: str | None) -> Catalog:
    """Return the catalog of this `key` in `store`, which keeps what it compiles in `cache_folder`."""
    ids, (texts, folded, odd, signatures), progress, causes, renamed, problems = store.value("catalog")
    rules, tables = store.index["rules"], store.index["tables"]

    @cache
    def signature(number: int) -> Signature:
        found: Signature = store.value("signatures", number)
        return found

    @cache
    def rule(cause: str) -> Rule | None:
        return store.value("rules", cause) if cause in rules else None

    @cache
    def table(name: str) -> Table | None:
        return store.value("tables", name) if name in tables else None

    @cache
    def scoring() -> ScoringParts:
        return ScoringParts(store)

    def rules_for(seen: frozenset[str], stated: Collection[str]) -> list[Rule]:
        places = ((one, bisect_left(ids, one)) for one in seen)
        return scoring().rules_for([at for one, at in places if ids[at : at + 1] == (one,)], stated)

    return Catalog(
        key=key,
        ids=ids,
        literals=Literals(texts, folded, odd, NumberLists(signatures)),
        progress=progress,
        signature=signature,
        rules_for=rules_for,
        rule=rule,
        causes_of=cache(lambda: store.value("causes of")),
        facts=cache(lambda: store.value("facts")),
        phases=cache(lambda: store.value("phases")),
        reruns=cache(lambda: store.value("reruns")),
        settings=cache(lambda: store.value("settings")),
        table=table,
        systems=cache(lambda: store.value("systems")),
        programs=cache(lambda: store.value("programs")),
        causes=causes,
        renamed=renamed,
        problems=problems,
        cache_folder=cache_folder,
    )

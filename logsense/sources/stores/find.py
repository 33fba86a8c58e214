"""Picks the reader for a log store by the scheme of its URL, and imports only that."""

from __future__ import annotations

from logsense.model.source import Source


def logs_at(address: str) -> list[Source]:
    """Return the logs at `address`, the URL of a store. Raises InputError if there are none."""
    scheme = address.partition("://")[0].partition("+")[0].lower()
    if scheme == "loki":
        from logsense.sources.stores import loki

        return loki.logs_at(address)
    if scheme == "journald":
        from logsense.sources.stores import journald

        return journald.logs_at(address)
    if scheme == "kubectl":
        from logsense.sources.stores import kubectl

        return kubectl.logs_at(address)
    from logsense.sources.stores import index

    return index.logs_at(address)

"""Regexes of the parsers, which are compiled when first used."""

from logsense.model.regexes import Lazy, LazyBytes

__all__ = ["Lazy", "LazyBytes"]

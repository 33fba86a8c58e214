"""Decodes which setting fixes and checks apply to, and what shows each setting in a log."""

from __future__ import annotations

from logsense.catalog.conditions import decode_conditions
from logsense.catalog.decode import Fields, Problems
from logsense.model.rule import Applies, Settings


def decode_applies(fields: Fields) -> Applies:
    """Return the `applies` of a fix or check: for each key, the words of which one must hold."""
    asked = fields.get("applies", dict, {})
    inner = Fields(asked, fields.path("applies"), fields.problems)
    return tuple((str(key), inner.texts(str(key))) for key in asked)


def decode_settings(data: object, problems: Problems) -> Settings:
    """Return the words of rules/_applies.yaml by key, each with the conditions that show it."""
    found: Settings = {}
    for key, words in data.items() if isinstance(data, dict) else ():
        if isinstance(words, dict):
            found[str(key)] = {
                str(word): decode_conditions(when, (str(key), str(word)), problems) for word, when in words.items()
            }
        else:
            problems.add((str(key),), "must map words to conditions")
    return found

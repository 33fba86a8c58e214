"""Decode conditions and comparisons: a closed set of shapes, no expression language."""

from __future__ import annotations

from logsense.catalog.decode import Fields, Path, Problems, decoded
from logsense.model.rule import (
    Applies,
    Before,
    Combined,
    Comparison,
    Condition,
    EndsAfter,
    FactIs,
    Found,
    FrameworkIs,
    InFrame,
    NotFound,
    Settings,
)

OPERATORS = (
    "known", "equals", "exactly", "not", "one_of", "at_least", "at_most", "above", "below", "contains", "starts_with",
    "ends_with",
)  # fmt: skip
_SLOT_INSIDE = "slot is a condition of a message's file, where it is not part of any, all or none"
SHAPES = ("found", "not_found", "fact", "before", "ends_after", "frame", "framework", "any", "all", "none")


def decode_conditions(items: object, path: Path, problems: Problems) -> tuple[Condition, ...]:
    """Return the conditions in a list (or a single one)."""
    if items is None:
        return ()
    listed = items if isinstance(items, list) else [items]
    found = (_condition(item, (*path, number), problems) for number, item in enumerate(listed))
    return tuple(condition for condition in found if condition)


def conditions(fields: Fields, key: str = "when") -> tuple[Condition, ...]:
    """Return the conditions in the field `key`."""
    return decode_conditions(fields.raw(key), fields.path(key), fields.problems)


def _condition(item: object, path: Path, problems: Problems) -> Condition | None:
    shapes = [shape for shape in SHAPES if isinstance(item, dict) and shape in item]
    if len(shapes) != 1:
        in_message = isinstance(item, dict) and "slot" in item
        problems.add(path, _SLOT_INSIDE if in_message else f"a condition has exactly one of {', '.join(SHAPES)}")
        return None
    return decoded(item, path, problems, lambda fields: _decode(shapes[0], fields))


def _decode(shape: str, fields: Fields) -> Condition | None:
    if shape == "found":
        where = tuple(
            (str(slot), decoded(test, (*fields.path("where"), slot), fields.problems, comparisons))
            for slot, test in fields.get("where", dict, {}).items()
        )
        return Found(fields.texts("found"), where, fields.get("times", int, 1))
    if shape == "not_found":
        return NotFound(fields.texts("not_found"))
    if shape == "fact":
        return FactIs(fields.text("fact"), comparisons(fields))
    if shape == "before":
        pair = [_ids(item) for _, item in fields.items("before")]
        if len(pair) != 2:
            fields.problem("before", "before takes two: [first, second]")
            return None
        return Before(pair[0], pair[1])
    if shape == "ends_after":
        return EndsAfter(fields.texts("ends_after"))
    if shape == "frame":
        return InFrame(fields.texts("frame"))
    if shape == "framework":
        return FrameworkIs(fields.texts("framework"))
    return Combined(shape, conditions(fields, shape))


def _ids(item: object) -> tuple[str, ...]:
    return tuple(str(one) for one in item) if isinstance(item, list) else (str(item),)


def comparisons(fields: Fields) -> tuple[Comparison, ...]:
    """Return the comparisons among the keys of one mapping; at least one is needed."""
    factor = fields.raw("times")
    times = float(factor) if isinstance(factor, (int, float)) and not isinstance(factor, bool) else 1.0
    found = []
    for operator in OPERATORS:
        if operator in fields:
            operand = fields.raw(operator)
            if operator == "known" and not isinstance(operand, bool):
                fields.problem(operator, "known must be true or false")
            if isinstance(operand, list):
                operand = tuple(operand)
            found.append(Comparison(operator, operand, times=times))
    if not found:
        fields.problems.add(fields.path("")[:-1], f"needs a comparison: {', '.join(OPERATORS)}")
    return tuple(found)


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

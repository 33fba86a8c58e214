"""JSON Schemas of the catalog's files, for editors: made from the same lists that the decoder reads by."""

from __future__ import annotations

from typing import Any

from logsense.catalog.conditions import OPERATORS, SHAPES
from logsense.catalog.signatures import PLACES
from logsense.model.rule import (
    ADDITIONS,
    CLASSES,
    EXPECTATIONS,
    FIX_ALONE,
    FIX_FIRST,
    FIX_LAST,
    NO_RISK,
    RISKS,
    STRENGTHS,
    VERDICTS,
)
from logsense.model.signature import FIXES_COMPLETE, FIXES_OF_CAUSE, KINDS, TRAITS

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALAR: Schema = {"type": ["string", "number", "boolean"]}
_TEXTS: Schema = {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}
_FLAG: Schema = {"type": "boolean"}
_APPLIES: Schema = {"type": "object", "additionalProperties": _TEXTS}
_TEXT: Schema = {"type": ["string", "number"]}
_WORD = "|".join(RISKS[1:])
_RISK = rf"^({NO_RISK}|({_WORD})(\s*,\s*({_WORD}))*)$"


def schema() -> Schema:
    """Return both schemas, by the kind of file that they are for."""
    return {"signature": signature_schema(), "rule": rule_schema()}


def signature_schema() -> Schema:
    """Return the schema of a file of corpus/."""
    when, text = {"$ref": "#/$defs/own_conditions"}, {"$ref": "#/$defs/text"}
    fields = {
        "id": {"type": "string", "pattern": r"^[\w-]+(\.[\w-]+)+$"},
        "title": _TEXT,
        "kind": {"enum": list(KINDS)},
        "printed_by": _TEXTS,
        "match": _TEXTS,
        "pattern": {"type": "string"},
        "literal": _TEXTS,
        "also": _TEXTS,
        "at": {"enum": list(PLACES)},
        "ignore_case": _FLAG,
        "facts": {"type": "object", "additionalProperties": _SCALAR},
        "says": _TEXT,
        "ends_run": _FLAG,
        "consequence_of": _TEXTS,
        "traits": {"type": "array", "items": {"enum": list(TRAITS)}},
        "fixes": {"enum": [FIXES_COMPLETE, FIXES_OF_CAUSE]},
        "was": _TEXTS,
    }
    means = {"cause": {"type": "string"}, **_argument(when, text), **_offered(when, text, [FIX_LAST])}
    weighs = {"cause": {"type": "string"}, **_evidence(when, text)}
    example = {"name": _TEXT, "log": _TEXT, "first": {"type": "string"}}
    fields |= {
        "means": _list(_object(means, ["cause"])),
        "weighs": _list(_object(weighs, ["cause", "strength", "says"])),
        "examples": _list(_object(example, ["name", "log", "first"])),
        "samples": _samples(),
    }
    schema = _object(fields, ["id", "title", "printed_by", "samples"])
    either = [{"required": ["match"]}, {"required": ["pattern"]}]
    return {"$schema": DIALECT, "title": "logsense signature", **schema, "oneOf": either, "$defs": _definitions()}


def _samples() -> Schema:
    positive = _object({"text": _TEXT, "captures": {"type": "object"}, "from": _TEXT}, ["text"])
    negative = _object({"text": _TEXT, "because": _TEXT}, ["text", "because"])
    lists = {
        "positive": {"type": "array", "items": positive, "minItems": 2},
        "negative": {"type": "array", "items": negative, "minItems": 1},
    }
    return _object(lists, ["positive", "negative"])


def rule_schema() -> Schema:
    """Return the schema of a file of rules/."""
    when, text = {"$ref": "#/$defs/conditions"}, {"$ref": "#/$defs/text"}
    argument = {"id": _TEXT, **_argument(when, text)}
    shared = _object({"shared": _TEXT, "when": when}, ["shared"])
    offered = _offered(when, text, [FIX_FIRST, FIX_ALONE])
    kind: Schema = {"enum": list(CLASSES)}
    rerun = {"class": kind, "verdict": {"enum": list(VERDICTS)}, "why": text, "when": when}
    example = {"name": _TEXT, "log": _TEXT, "expect": {"enum": list(EXPECTATIONS)}}
    schema = _object(
        {
            "cause": {"type": "string"},
            "title": text,
            "arguments": _list(_object(argument, ["when", "strength"])),
            "evidence": _list(_object(_evidence(when, text), ["when", "strength", "says"])),
            "explain": text,
            "fixes": _list({"anyOf": [offered["fixes"]["anyOf"][0], shared]}),
            "decide": offered["decide"],
            "rerun": _list({"anyOf": [kind, _object(rerun, ["class"])]}),
            "restates": _FLAG,
            "titled_by_argument": _FLAG,
            "references": _TEXTS,
            "examples": _list(_object(example, ["name", "log"])),
        },
        ["cause", "title", "explain", "references"],
    )
    return {"$schema": DIALECT, "title": "logsense rule", **schema, "$defs": _definitions()}


def _argument(when: Schema, text: Schema) -> Schema:
    strength = {"enum": list(STRENGTHS)}
    return {"when": when, "strength": strength, "says": text, "title": text, "explain": text, "effect_only": _FLAG}


def _evidence(when: Schema, text: Schema) -> Schema:
    return {"when": when, "strength": {"enum": list(ADDITIONS)}, "says": text}


def _offered(when: Schema, text: Schema, places: list[str]) -> Schema:
    check = {"do": text, "run": text, "when": when, "applies": _APPLIES, "otherwise": _FLAG, "last": _FLAG}
    fix = check | {"why": text, "risk": {"type": "string", "pattern": _RISK}, "place": {"enum": places}}
    return {"fixes": _list(_object(fix, ["do", "risk"])), "decide": _list(_object(check, ["do"]))}


def _definitions() -> Schema:
    condition: Schema = {"$ref": "#/$defs/condition"}
    many = {"anyOf": [condition, {"type": "array", "items": condition}]}
    comparison: Schema = {operator: {} for operator in OPERATORS}
    comparison |= {"known": _FLAG, "times": {"type": "number"}}
    shapes: dict[str, Schema] = {
        "found": {"found": _TEXTS, "where": {"type": "object"}, "times": {"type": "integer"}},
        "fact": {"fact": {"type": "string"}, **comparison},
        "before": {"before": {"type": "array", "minItems": 2, "maxItems": 2}},
    }
    shapes |= {shape: {shape: many} for shape in ("any", "all", "none")}
    variants = [_object(shapes.get(shape, {shape: _TEXTS}), [shape]) for shape in SHAPES]
    own = _list(
        {
            "oneOf": [
                condition,
                _object({"slot": {"type": "string"}, **comparison}, ["slot"]),
                _object({"times_seen": {"type": "integer"}}, ["times_seen"]),
            ]
        }
    )
    variant = {"anyOf": [_SCALAR, _object({"when": many, "text": _TEXT}, ["text"])]}
    return {
        "condition": {"oneOf": variants},
        "conditions": many,
        "own_conditions": own,
        "text": {"anyOf": [*variant["anyOf"], {"type": "array", "items": variant}]},
    }


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: Schema) -> Schema:
    return {"anyOf": [items, {"type": "array", "items": items}]}

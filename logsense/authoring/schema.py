"""JSON Schemas of the catalog's files, for editors: made from the same lists that the decoder reads by."""

from __future__ import annotations

from logsense.catalog.conditions import OPERATORS, SHAPES
from logsense.catalog.signatures import PLACES
from logsense.model.rule import CLASSES, EXPECTATIONS, NO_RISK, RISKS, VERDICTS
from logsense.model.signature import KINDS, TRAITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALAR: Schema = {"type": ["string", "number", "boolean"]}
_TEXTS: Schema = {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}
_FLAG: Schema = {"type": "boolean"}
_TEXT: Schema = {"type": ["string", "number"]}
_WORD = "|".join(RISKS[1:])
_RISK = rf"^({NO_RISK}|({_WORD})(\s*,\s*({_WORD}))*)$"


def schema() -> Schema:
    """Both schemas, by the kind of file that they are for."""
    return {"signature": signature_schema(), "rule": rule_schema()}


def signature_schema() -> Schema:
    """The schema of a file of corpus/."""
    sample = _object({"text": _TEXT, "captures": {"type": "object"}, "from": _TEXT}, ["text"])
    near_miss = _object({"text": _TEXT, "because": _TEXT}, ["text", "because"])
    schema = _object(
        {
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
            "was": _TEXTS,
            "samples": _object(
                {
                    "positive": {"type": "array", "items": sample, "minItems": 2},
                    "negative": {"type": "array", "items": near_miss, "minItems": 1},
                },
                ["positive", "negative"],
            ),
        },
        ["id", "title", "printed_by", "samples"],
    )
    return {"$schema": DIALECT, "title": "logsense signature", **schema, "oneOf": [_has("match"), _has("pattern")]}


def rule_schema() -> Schema:
    """The schema of a file of rules/."""
    when, text = {"$ref": "#/$defs/conditions"}, {"$ref": "#/$defs/text"}
    number = {"type": "number"}
    share: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
    argument: Schema = {"id": _TEXT, "when": when, "weight": number, "says": text}
    argument |= {"title": text, "explain": text, "sure_at_most": share}
    shared = _object({"shared": _TEXT, "when": when}, ["shared"])
    offered = {"do": text, "run": text, "when": when, "last": _FLAG}
    fix = offered | {"why": text, "risk": {"type": "string", "pattern": _RISK}}
    kind: Schema = {"enum": list(CLASSES)}
    rerun = {"class": kind, "verdict": {"enum": list(VERDICTS)}, "why": text, "when": when}
    example = {"name": _TEXT, "log": _TEXT, "expect": {"enum": list(EXPECTATIONS)}}
    schema = _object(
        {
            "cause": {"type": "string"},
            "title": text,
            "arguments": _list(_object(argument, ["when", "weight"])),
            "evidence": _list(_object({"when": when, "weight": number, "says": text}, ["when", "weight", "says"])),
            "explain": text,
            "fixes": _list({"anyOf": [_object(fix, ["do", "risk"]), shared]}),
            "decide": _list(_object(offered, ["do"])),
            "rerun": _list({"anyOf": [kind, _object(rerun, ["class"])]}),
            "restates": _FLAG,
            "titled_by_argument": _FLAG,
            "references": _TEXTS,
            "examples": _list(_object(example, ["name", "log"])),
        },
        ["cause", "title", "arguments", "explain", "fixes", "references"],
    )
    return {"$schema": DIALECT, "title": "logsense rule", **schema, "$defs": _definitions()}


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
    variant = {"anyOf": [_SCALAR, _object({"when": many, "text": _TEXT}, ["text"])]}
    return {
        "condition": {"oneOf": variants},
        "conditions": many,
        "text": {"anyOf": [*variant["anyOf"], {"type": "array", "items": variant}]},
    }


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: Schema) -> Schema:
    return {"anyOf": [items, {"type": "array", "items": items}]}


def _has(key: str) -> Schema:
    return {"required": [key]}

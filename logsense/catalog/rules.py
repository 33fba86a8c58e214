"""Decode the files of rules/ into rules, phases and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from logsense.catalog.conditions import conditions, decode_applies
from logsense.catalog.decode import Fields, Path, Problems, decoded
from logsense.model.rule import (
    ADDITIONS,
    CLASSES,
    EXPECTATIONS,
    FIX_PLACES,
    NO_RISK,
    RISKS,
    STRENGTHS,
    VERDICTS,
    Argument,
    CheckRule,
    Condition,
    EvidenceRule,
    Example,
    FixRule,
    Phase,
    RerunRule,
    Rule,
    Table,
    Text,
)
from logsense.model.values import FACT_TYPES, fact_value


def decode_rule(data: object, problems: Problems, own: Sequence[tuple[str, dict[str, Any]]] = ()) -> Rule | None:
    """Return the rule in `data`, the content of one file of rules/, with what messages add to it.

    `own` are the ids of messages, each with its parts of this rule. Return None if problems leave nothing usable.
    """
    before = len(problems.found)
    parts: dict[str, list[Any]] = {key: [] for key in PARTS}
    for of, added in own:
        for key, items in added.items():
            for item in items:
                part = decoded(item, (), problems, PARTS[key])
                parts[key].append(part._replace(of=of) if key in OFFERED else part)
    rule = decoded(data, (), problems, partial(_rule, parts))
    return rule if len(problems.found) == before else None


def _rule(of_messages: dict[str, list[Any]], fields: Fields) -> Rule:
    fields.raw("examples")
    return Rule(
        cause=fields.text("cause", required=True),
        title=_text(fields, "title", required=True),
        explain=_text(fields, "explain", required=True),
        rerun=tuple(_rerun(item, path, fields.problems) for path, item in fields.items("rerun")),
        references=fields.texts("references", required=True),
        restates=fields.get("restates", bool, False),
        titled_by_argument=fields.get("titled_by_argument", bool, False),
        **{key: (*of_messages[key], *fields.each(key, decode)) for key, decode in PARTS.items()},
    )


def with_shared(data: object, shared: dict[str, object], problems: Problems) -> object:
    """Return the data of a rule with fixes that name a file of rules/_fixes/ (`shared: NAME`) replaced by its content.

    Conditions of such a fix hold for all that take its place.
    """
    fixes = data.get("fixes") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(fixes, list):
        return data
    whole: list[object] = []
    for number, fix in enumerate(fixes):
        if not isinstance(fix, dict) or "shared" not in fix:
            whole.append(fix)
            continue
        inner = Fields(fix, ("fixes", number), problems)
        name, when = inner.text("shared"), inner.get("when", list, [])
        inner.close()
        others = shared.get(name)
        if not isinstance(others, list):
            inner.problem("shared", f"there is no file rules/_fixes/{name}.yaml with a list of fixes")
            continue
        for one in others:
            own = one.get("when", []) if isinstance(one, dict) else []
            whole.append({**one, "when": [*own, *when]} if isinstance(one, dict) and isinstance(own, list) else one)
    return {**data, "fixes": whole}


def decode_examples(data: object, problems: Problems) -> tuple[Example, ...]:
    """Return the examples in `data`, the content of one file of rules/, or of corpus/, where each names a cause."""
    whole = Fields(data if isinstance(data, dict) else {}, (), problems)
    cause = whole.text("cause") if "cause" in whole else None

    def example(fields: Fields) -> Example:
        name, log = fields.text("name", required=True), fields.text("log", required=True)
        if cause is None:
            return Example(name, log, fields.text("first", required=True))
        return Example(name, log, cause, fields.one_of("expect", EXPECTATIONS, "first"))

    return whole.each("examples", example)


def _argument(fields: Fields) -> Argument:
    if "when" not in fields:
        fields.problem("when", "an argument needs a condition in when")
    return Argument(
        id=fields.text("id"),
        when=conditions(fields),
        weight=_weight(fields, STRENGTHS),
        says=_text(fields, "says"),
        explain=_text(fields, "explain"),
        effect_only=fields.get("effect_only", bool, False),
        title=_text(fields, "title"),
    )


def _evidence(fields: Fields) -> EvidenceRule:
    return EvidenceRule(conditions(fields), _weight(fields, ADDITIONS), _text(fields, "says", required=True))


def _fix(fields: Fields) -> FixRule:
    if "risk" not in fields:
        fields.problem("risk", "risk is missing")
    return FixRule(
        do=_text(fields, "do", required=True),
        run=_text(fields, "run"),
        why=_text(fields, "why"),
        risk=_risk(fields),
        when=conditions(fields),
        last=fields.get("last", bool, False),
        place=fields.one_of("place", FIX_PLACES, "") if "place" in fields else "",
        applies=decode_applies(fields),
        otherwise=fields.get("otherwise", bool, False),
    )


def _risk(fields: Fields) -> str:
    """Return the words of the risk in the order of `RISKS`, joined by a comma."""
    words = {word.strip() for word in fields.text("risk", NO_RISK).split(",")}
    if not words <= set(RISKS):
        fields.problem("risk", f"risk must be one of {', '.join(RISKS)}, or several joined by a comma")
    elif NO_RISK in words and len(words) > 1:
        fields.problem("risk", f"{NO_RISK} can't be joined with other risks")
    return ",".join(word for word in RISKS if word in words) or NO_RISK


def _check(fields: Fields) -> CheckRule:
    return CheckRule(
        do=_text(fields, "do", required=True),
        run=_text(fields, "run"),
        when=conditions(fields),
        last=fields.get("last", bool, False),
        applies=decode_applies(fields),
        otherwise=fields.get("otherwise", bool, False),
    )


# What messages may add to, and how an item of each is decoded.
PARTS: dict[str, Callable[[Fields], Any]] = {
    "arguments": _argument,
    "evidence": _evidence,
    "fixes": _fix,
    "decide": _check,
}
OFFERED = ("fixes", "decide")


def _rerun(item: object, path: Path, problems: Problems) -> RerunRule:
    """Return a class alone, or one with a verdict and a reason, if its conditions hold."""
    return decoded(item if isinstance(item, dict) else {"class": item}, path, problems, _rerun_rule)


def _rerun_rule(fields: Fields) -> RerunRule:
    return RerunRule(
        kind=fields.one_of("class", CLASSES, CLASSES[0]),
        verdict=fields.one_of("verdict", VERDICTS, "") if "verdict" in fields else "",
        why=_text(fields, "why"),
        when=conditions(fields),
    )


def decode_reruns(data: object, problems: Problems) -> tuple[RerunRule, ...]:
    """Return what each class of failures means for a rerun, from `data`, the content of rules/_reruns.yaml."""
    items = data if isinstance(data, list) else ()
    return tuple(_rerun(item, (number,), problems) for number, item in enumerate(items))


def _weight(fields: Fields, words: dict[str, float]) -> float:
    if "strength" not in fields:
        fields.problem("strength", "strength is missing")
    return words[fields.one_of("strength", tuple(words), next(iter(words)))]


def _text(fields: Fields, key: str, *, required: bool = False) -> Text:
    variants: list[tuple[tuple[Condition, ...], str]] = []
    for path, item in fields.items(key, required=required):
        if isinstance(item, dict):
            variants.append(decoded(item, path, fields.problems, _variant))
        elif isinstance(item, list) or item is None:
            fields.problems.add(path, f"{key} must be a text or a list of texts")
        else:
            variants.append(((), str(item).strip()))
    return Text(tuple(variants))


def _variant(fields: Fields) -> tuple[tuple[Condition, ...], str]:
    return conditions(fields), fields.text("text", required=True).strip()


def decode_phases(data: object, problems: Problems) -> tuple[Phase, ...]:
    """Return the phases in `data`, the content of rules/_phases.yaml."""
    items = data if isinstance(data, list) else ()
    return tuple(decoded(item, (number,), problems, _phase) for number, item in enumerate(items))


def _phase(fields: Fields) -> Phase:
    return Phase(fields.text("phase", required=True), fields.text("says", required=True), conditions(fields))


def decode_table(name: str, data: object, problems: Problems) -> Table:
    """Return the table in `data`, the content of one file of rules/_tables/."""
    fields = Fields(data, (), problems)
    columns = {str(key): str(kind) for key, kind in fields.get("columns", dict, {}, required=True).items()}
    for column, kind in columns.items():
        if kind not in FACT_TYPES:
            problems.add(("columns", column), f"type must be one of {', '.join(FACT_TYPES)}")
    rows = []
    for path, item in fields.items("rows", required=True):
        if not isinstance(item, dict):
            problems.add(path, "a row must be a mapping")
            continue
        for column in item:
            if column not in columns and column != "source":
                problems.add((*path, str(column)), f"there is no column {column!r}")
        rows.append({str(k): fact_value(columns.get(k, "text"), v) for k, v in item.items() if v is not None})
    for column in fields.get("known_until", dict, {}):
        if columns.get(str(column)) != "version":
            problems.add(("known_until", str(column)), "names a column of versions")
    table = Table(
        name, fields.text("title", required=True), fields.text("dated", required=True),
        fields.text("source", required=True), columns, tuple(rows),
        {str(column): str(last) for column, last in fields.get("known_until", dict, {}).items()},
    )  # fmt: skip
    fields.close()
    return table

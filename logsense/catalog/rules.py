"""Decodes the files of rules/ into rules, phases and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from logsense.catalog.conditions import decode_conditions
from logsense.catalog.decode import Fields, Path, Problems
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
    fields = Fields(data, (), problems)
    parts: dict[str, list[Any]] = {key: [] for key in PARTS}
    for of, added in own:
        for key, items in added.items():
            for item in items:
                part = PARTS[key](Fields(item, (), problems), problems)
                parts[key].append(part._replace(of=of) if key in OFFERED else part)
    for key, decode in PARTS.items():
        parts[key] += [decode(Fields(item, path, problems), problems) for path, item in fields.items(key)]
    rule = Rule(
        cause=fields.text("cause", required=True),
        title=_text(fields, "title", problems, required=True),
        arguments=tuple(parts["arguments"]),
        evidence=tuple(parts["evidence"]),
        explain=_text(fields, "explain", problems, required=True),
        fixes=tuple(parts["fixes"]),
        decide=tuple(parts["decide"]),
        rerun=tuple(_rerun(item, path, problems) for path, item in fields.items("rerun")),
        references=fields.texts("references", required=True),
        restates=fields.get("restates", bool, False),
        titled_by_argument=fields.get("titled_by_argument", bool, False),
    )
    fields.raw("examples")
    fields.close()
    return rule if len(problems.found) == before else None


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
    found = []
    whole = Fields(data, (), Problems())
    for path, item in whole.items("examples"):
        fields = Fields(item, path, problems)
        name, log = fields.text("name", required=True), fields.text("log", required=True)
        if "cause" in whole:
            expect = fields.one_of("expect", EXPECTATIONS, "first")
            found.append(Example(name, log, whole.text("cause"), expect))
        else:
            found.append(Example(name, log, fields.text("first", required=True)))
        fields.close()
    return tuple(found)


def _argument(fields: Fields, problems: Problems) -> Argument:
    argument = Argument(
        id=fields.text("id"),
        when=_when(fields, problems),
        weight=_weight(fields, STRENGTHS),
        says=_text(fields, "says", problems),
        explain=_text(fields, "explain", problems),
        effect_only=fields.get("effect_only", bool, False),
        title=_text(fields, "title", problems),
    )
    if "when" not in fields:
        fields.problem("when", "an argument needs a condition in when")
    fields.close()
    return argument


def _evidence(fields: Fields, problems: Problems) -> EvidenceRule:
    evidence = EvidenceRule(
        _when(fields, problems), _weight(fields, ADDITIONS), _text(fields, "says", problems, required=True)
    )
    fields.close()
    return evidence


def _fix(fields: Fields, problems: Problems) -> FixRule:
    fix = FixRule(
        do=_text(fields, "do", problems, required=True),
        run=_text(fields, "run", problems),
        why=_text(fields, "why", problems),
        risk=_risk(fields),
        when=_when(fields, problems),
        last=fields.get("last", bool, False),
        place=fields.one_of("place", FIX_PLACES, "") if "place" in fields else "",
    )
    if "risk" not in fields:
        fields.problem("risk", "risk is missing")
    fields.close()
    return fix


def _risk(fields: Fields) -> str:
    """Return the words of the risk in the order of `RISKS`, joined by a comma."""
    words = {word.strip() for word in fields.text("risk", NO_RISK).split(",")}
    if not words <= set(RISKS):
        fields.problem("risk", f"risk must be one of {', '.join(RISKS)}, or several joined by a comma")
    elif NO_RISK in words and len(words) > 1:
        fields.problem("risk", f"{NO_RISK} can't be joined with other risks")
    return ",".join(word for word in RISKS if word in words) or NO_RISK


def _check(fields: Fields, problems: Problems) -> CheckRule:
    check = CheckRule(
        do=_text(fields, "do", problems, required=True),
        run=_text(fields, "run", problems),
        when=_when(fields, problems),
        last=fields.get("last", bool, False),
    )
    fields.close()
    return check


# What messages may add to, and how an item of each is decoded.
PARTS: dict[str, Callable[[Fields, Problems], Any]] = {
    "arguments": _argument,
    "evidence": _evidence,
    "fixes": _fix,
    "decide": _check,
}
OFFERED = ("fixes", "decide")


def _rerun(item: object, path: Path, problems: Problems) -> RerunRule:
    """Return a class alone, or one with a verdict and a reason, if its conditions hold."""
    inner = Fields(item if isinstance(item, dict) else {"class": item}, path, problems)
    rerun = RerunRule(
        kind=inner.one_of("class", CLASSES, CLASSES[0]),
        verdict=inner.one_of("verdict", VERDICTS, "") if "verdict" in inner else "",
        why=_text(inner, "why", problems),
        when=_when(inner, problems),
    )
    inner.close()
    return rerun


def decode_reruns(data: object, problems: Problems) -> tuple[RerunRule, ...]:
    """Return what each class of failures means for a rerun, from `data`, the content of rules/_reruns.yaml."""
    return tuple(
        _rerun(item, (number,), problems) for number, item in enumerate(data if isinstance(data, list) else ())
    )


def _when(fields: Fields, problems: Problems) -> tuple[Condition, ...]:
    return decode_conditions(fields.raw("when"), fields.path("when"), problems)


def _weight(fields: Fields, words: dict[str, float]) -> float:
    if "strength" not in fields:
        fields.problem("strength", "strength is missing")
    return words[fields.one_of("strength", tuple(words), next(iter(words)))]


def _text(fields: Fields, key: str, problems: Problems, *, required: bool = False) -> Text:
    variants: list[tuple[tuple[Condition, ...], str]] = []
    for path, item in fields.items(key, required=required):
        if isinstance(item, dict):
            inner = Fields(item, path, problems)
            variants.append((_when(inner, problems), _flow(inner.text("text", required=True))))
            inner.close()
        elif isinstance(item, list) or item is None:
            problems.add(path, f"{key} must be a text or a list of texts")
        else:
            variants.append(((), _flow(str(item))))
    return Text(tuple(variants))


def _flow(text: str) -> str:
    return text.strip()


def decode_phases(data: object, problems: Problems) -> tuple[Phase, ...]:
    """Return the phases in `data`, the content of rules/_phases.yaml."""
    found = []
    for number, item in enumerate(data if isinstance(data, list) else ()):
        fields = Fields(item, (number,), problems)
        found.append(
            Phase(fields.text("phase", required=True), fields.text("says", required=True), _when(fields, problems))
        )
        fields.close()
    return tuple(found)


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

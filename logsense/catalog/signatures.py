"""Decodes the files of corpus/ into signatures."""

from __future__ import annotations

from logsense.catalog.decode import Fields, Problems, attempt
from logsense.catalog.template import TemplateError, compile_pattern, compile_template
from logsense.model.signature import FIXES_COMPLETE, KINDS, TRAITS, Pattern, Sample, Signature

PLACES = ("anywhere", "start", "line")


def decode_signature(data: object, problems: Problems) -> Signature | None:
    """Return the signature in `data`, the content of one corpus file; None if its problems leave nothing usable."""
    before = len(problems.found)
    fields = Fields(data, (), problems)
    place = fields.one_of("at", PLACES, "anywhere")
    plain = "pattern" in fields
    match = _plain(fields, problems) if plain else _templates(fields, "match", place, problems)
    also = _templates(fields, "also", "anywhere", problems)
    facts = fields.get("facts", dict, {})
    kind = fields.one_of("kind", KINDS, "failure")
    says = fields.text("says")
    if kind == "noise" and not says:
        fields.problem("kind", "noise needs says: one sentence on why it does not matter")
    signature = Signature(
        id=fields.text("id", required=True),
        title=fields.text("title", required=True),
        kind=kind,
        match=tuple(pattern for pattern in match if pattern),
        also=tuple(pattern for pattern in also if pattern),
        facts={str(fact): str(slot) for fact, slot in facts.items()},
        says=says,
        ends_run=fields.get("ends_run", bool, False),
        timed=False,
        ignore_case=fields.get("ignore_case", bool, False),
        printed_by=fields.texts("printed_by", required=True),
        consequence_of=fields.texts("consequence_of"),
        traits=fields.texts("traits"),
        fixes_complete=fields.one_of("fixes", ("", FIXES_COMPLETE), "") == FIXES_COMPLETE,
    )
    for trait in set(signature.traits) - set(TRAITS):
        fields.problem("traits", f"{trait} is none of {', '.join(TRAITS)}")
    if signature.consequence_of and kind != "consequence":
        fields.problem("consequence_of", f"only a consequence follows from another message; this is a {kind}")
    slots = set(signature_slots(signature))
    for fact, slot in signature.facts.items():
        if not slot.startswith("=") and slot not in slots:
            problems.add(("facts", fact), f"there is no slot {slot!r}")
    for key in ("samples", "means", "weighs", "examples"):
        fields.raw(key)
    fields.texts("was")
    fields.close()
    return signature if len(problems.found) == before else None


def signature_slots(signature: Signature) -> dict[str, str]:
    """Return all slots of a signature with their types."""
    slots: dict[str, str] = {}
    for pattern in (*signature.match, *signature.also):
        slots.update(pattern.slots)
    return slots


def decode_samples(data: object, problems: Problems) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    """Return the positive and the negative samples in `data`, the content of one corpus file."""
    samples = Fields(Fields(data, (), Problems()).raw("samples") or {}, ("samples",), problems)
    both = []
    for key in ("positive", "negative"):
        found = []
        for path, item in samples.items(key, required=True):
            fields = Fields(item, path, problems)
            captures = fields.get("captures", dict, {})
            because = fields.text("because", required=key == "negative")
            text = fields.text("text", required=True)
            found.append(Sample(text, {str(k): v for k, v in captures.items()}, fields.text("from"), because))
            fields.close()
        both.append(tuple(found))
    samples.close()
    return both[0], both[1]


def _templates(fields: Fields, key: str, place: str, problems: Problems) -> tuple[Pattern | None, ...]:
    found = []
    for path, template in fields.items(key, required=key == "match"):
        if not isinstance(template, str):
            problems.add(path, f"{key} must be a template or a list of templates")
            continue
        found.append(attempt(problems, path, lambda t=template: compile_template(t, place), TemplateError))  # type: ignore[misc]
    return tuple(found)


def _plain(fields: Fields, problems: Problems) -> tuple[Pattern | None, ...]:
    regex, path = fields.text("pattern"), fields.path("pattern")
    literals = fields.texts("literal", required=True)

    def compiled(literal: str) -> Pattern | None:
        return attempt(problems, path, lambda: compile_pattern(regex, literal), TemplateError)

    return tuple(map(compiled, literals))

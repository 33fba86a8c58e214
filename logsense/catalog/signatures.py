"""Decode the files of corpus/ into signatures."""

from __future__ import annotations

from functools import partial

from logsense.catalog.decode import Fields, Problems, attempt, decoded
from logsense.catalog.template import TemplateError, compile_pattern, compile_template
from logsense.model.signature import FIXES_COMPLETE, FIXES_OF_CAUSE, KINDS, TRAITS, Pattern, Sample, Signature

PLACES = ("anywhere", "start", "line")


def decode_signature(data: object, problems: Problems) -> Signature | None:
    """Return the signature in `data`, the content of one corpus file; None if its problems leave nothing usable."""
    before = len(problems.found)
    signature = decoded(data, (), problems, _signature)
    return signature if len(problems.found) == before else None


def _signature(fields: Fields) -> Signature:
    place = fields.one_of("at", PLACES, "anywhere")
    match = _plain(fields) if "pattern" in fields else _templates(fields, "match", place)
    signature = Signature(
        id=fields.text("id", required=True),
        title=fields.text("title", required=True),
        kind=fields.one_of("kind", KINDS, "failure"),
        match=tuple(pattern for pattern in match if pattern),
        also=tuple(pattern for pattern in _templates(fields, "also", "anywhere") if pattern),
        facts={str(fact): str(slot) for fact, slot in fields.get("facts", dict, {}).items()},
        says=fields.text("says"),
        ends_run=fields.get("ends_run", bool, False),
        timed=False,
        ignore_case=fields.get("ignore_case", bool, False),
        printed_by=fields.texts("printed_by", required=True),
        consequence_of=fields.texts("consequence_of"),
        traits=fields.texts("traits"),
        fixes_complete=fields.one_of("fixes", ("", FIXES_COMPLETE, FIXES_OF_CAUSE), "") == FIXES_COMPLETE,
    )
    if signature.kind == "noise" and not signature.says:
        fields.problem("kind", "noise needs says: one sentence on why it does not matter")
    for trait in set(signature.traits) - set(TRAITS):
        fields.problem("traits", f"{trait} is none of {', '.join(TRAITS)}")
    if signature.consequence_of and signature.kind != "consequence":
        fields.problem("consequence_of", f"only a consequence follows from another message; this is a {signature.kind}")
    slots = set(signature_slots(signature))
    for fact, slot in signature.facts.items():
        if not slot.startswith("=") and slot not in slots:
            fields.problems.add(("facts", fact), f"there is no slot {slot!r}")
    for key in ("samples", "means", "weighs", "examples"):
        fields.raw(key)
    fields.texts("was")
    return signature


def signature_slots(signature: Signature) -> dict[str, str]:
    """Return all slots of a signature with their types."""
    slots: dict[str, str] = {}
    for pattern in (*signature.match, *signature.also):
        slots.update(pattern.slots)
    return slots


def decode_samples(data: object, problems: Problems) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    """Return the positive and the negative samples in `data`, the content of one corpus file."""
    samples = Fields(data, (), Problems()).raw("samples") or {}
    return decoded(samples, ("samples",), problems, _both)


def _both(fields: Fields) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    negative = partial(_sample, is_negative=True)
    return fields.each("positive", _sample, required=True), fields.each("negative", negative, required=True)


def _sample(fields: Fields, *, is_negative: bool = False) -> Sample:
    fields.text("from")
    fields.text("because", required=is_negative)
    captures = {str(key): value for key, value in fields.get("captures", dict, {}).items()}
    return Sample(fields.text("text", required=True), captures)


def _templates(fields: Fields, key: str, place: str) -> list[Pattern | None]:
    found = []
    for path, template in fields.items(key, required=key == "match"):
        if not isinstance(template, str):
            fields.problems.add(path, f"{key} must be a template or a list of templates")
            continue
        found.append(attempt(fields.problems, path, partial(compile_template, template, place), TemplateError))
    return found


def _plain(fields: Fields) -> list[Pattern | None]:
    regex, path = fields.text("pattern"), fields.path("pattern")
    literals = fields.texts("literal", required=True)
    return [
        attempt(fields.problems, path, partial(compile_pattern, regex, literal), TemplateError) for literal in literals
    ]

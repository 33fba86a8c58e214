"""Every number in a template may take any value: samples with their numbers changed are still understood."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.authoring.selftest import find_in
from logsense.catalog.decode import Problems
from logsense.catalog.signatures import decode_signature
from logsense.model.signature import Signature
from logsense.model.values import slot_value
from logsense.records.records import records
from tests.corpus_files import messages, samples_of

NUMBERS = {
    "int": st.integers(0, 10**15).map(str),
    "bytes": st.integers(0, 10**15).map(str),
    "float": st.one_of(
        st.floats(0, 1e12, allow_nan=False).map(lambda value: f"{value:.6f}"),
        st.floats(1e-12, 1e12).map(lambda value: f"{value:.3e}"),
        st.sampled_from(["nan", "inf"]),
    ),
    "ms": st.integers(0, 10**12).map(str),
    "s": st.floats(0, 1e9).map(lambda value: f"{value:.3f}"),
    "size": st.floats(0, 1023).map(lambda value: f"{value:.2f}"),
}


class Number(NamedTuple):
    """A number in a sample: where it stands in the text, and which slot takes it."""

    signature: Signature
    text: str
    begin: int
    end: int
    slot: str
    kind: str


@cache
def numbers() -> list[Number]:
    """The first number of each slot of each template, in the first sample that the template matches."""
    found: dict[tuple[str, str], Number] = {}
    for message in messages().values():
        signature = decode_signature(message, Problems())
        if signature is None or "pattern" in message:
            continue
        for sample in samples_of(message):
            for number in _in_sample(signature, sample.text):
                found.setdefault((signature.id, number.slot), number)
    return list(found.values())


def _in_sample(signature: Signature, text: str) -> list[Number]:
    flags = re.IGNORECASE if signature.ignore_case else 0
    if len(records(text.encode(), source="sample")) != 1:
        return []
    for pattern in signature.match:
        match = re.search(pattern.regex, text, flags)
        if match:
            return [
                Number(signature, text, *match.span(slot), slot, kind)
                for slot, kind in pattern.slots.items()
                if kind in NUMBERS and match.group(slot) is not None
            ]
    return []


PARTS = 8  # of so many numbers at once hypothesis has room for


def test_there_are_many() -> None:
    assert len(numbers()) > 500


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@given(data=st.data())
@settings(max_examples=3, deadline=None)
def test_any_value_is_understood(part: int, data: st.DataObject) -> None:
    wrong = []
    for number in numbers()[part::PARTS]:
        value = data.draw(NUMBERS[number.kind])
        old = number.text[number.begin : number.end]
        if number.kind == "size":
            value += re.sub(r"^[\d.,]+", "", old).split("(")[0].rstrip()
        changed = number.text[: number.begin] + value + number.text[number.end :]
        finding = find_in(number.signature, changed)
        wanted = slot_value(number.kind, value)
        if finding is None or str(finding.captures.get(number.slot)) != str(wanted):
            got = finding and finding.captures.get(number.slot)
            wrong.append(f"{number.signature.id} {number.slot}: {value!r} became {got!r} in {changed[:120]!r}")
    assert wrong == []

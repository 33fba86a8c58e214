"""Secrets and names are hidden however they are broken, labeled and colored; what is neither stays as it is."""

from __future__ import annotations

import itertools

import pytest

from logsense.share.bundle import prefix_length
from logsense.share.redact.masks import Redactor
from tests.redaction.disguises import DISGUISES, is_recognizable, readable_parts
from tests.render.redact.planted import KEEPS, PATTERNS, PLANTED, READABLE, grown

# Each kind in one disguise, and each disguise with many kinds; `pytest -m whole` takes all with all.
ONE_EACH = list(zip(PLANTED, itertools.cycle(DISGUISES), strict=False))
ALL = [pair for pair in itertools.product(PLANTED, DISGUISES) if pair not in ONE_EACH]


def _check(kind: str, disguise: str) -> None:
    text, secret = (grown(part) for part in PLANTED[kind])
    log = DISGUISES[disguise](text, secret)
    redactor = Redactor(PATTERNS, KEEPS, prefix_length)
    redactor.learn(log)
    shown = redactor.mask(log)
    assert shown.count("\n") == log.count("\n")
    assert not is_recognizable(kind, disguise) or readable_parts(secret, disguise, shown) == [], shown


@pytest.mark.parametrize(("kind", "disguise"), ONE_EACH)
def test_hidden(kind: str, disguise: str) -> None:
    _check(kind, disguise)


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "disguise"), ALL)
def test_hidden_in_all_disguises(kind: str, disguise: str) -> None:
    _check(kind, disguise)


def test_there_are_many_kinds() -> None:
    assert len(PLANTED) >= 150
    assert len(READABLE) >= 80


@pytest.mark.parametrize("label", ["", "[rank3]: ", "2026-11-28 10:00:00,123 - ", "\x1b[31m"])
def test_what_helps_stays(label: str) -> None:
    redactor = Redactor(PATTERNS, KEEPS, prefix_length)
    log = "\n".join(f"{label}{line}" for line in READABLE)
    redactor.learn(log)
    assert redactor.mask(log).split("\n") == [f"{label}{line}".replace("\x1b[31m", "") for line in READABLE]


@pytest.mark.parametrize("above", ["", "RuntimeError: refused\n"])
def test_a_value_broken_below_its_name(above: str) -> None:
    label = "2026-11-28 10:00:00,123 - "
    log = f"{above}{label}- name: DB_PASSWORD\n{label}  value: hun\n{label}ter2ujOeHaZ4"
    redactor = Redactor(PATTERNS, KEEPS, prefix_length)
    redactor.learn(log)
    assert "ter2" not in redactor.mask(log)


def test_a_token_that_is_cut_off() -> None:
    redactor = Redactor(PATTERNS, KEEPS)
    secret = grown("hf_{34}")
    assert redactor.mask(f"refused: {secret[:20]}…") == "refused: <token-1>…"
    assert redactor.mask("installing hf_transfer") == "installing hf_transfer"

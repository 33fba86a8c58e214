"""Whatever way an answer leaves by, it holds no secrets and no names: each format, reports, messages, the agent server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from logsense.cli.mcp import Agent
from logsense.cli.options import FORMATS
from logsense.model.knowledge import Catalog
from logsense.pipeline import explain
from logsense.render.bundle import render_bundle, render_prompt
from logsense.render.formats import render
from logsense.render.layout import Look
from logsense.share.bundle import bundle_of, redacted, redacted_bundle
from logsense.share.notify.start import notice_of_failure
from logsense.sources.find import resolve
from tests.redaction.disguises import DISGUISES, is_recognizable, readable_parts
from tests.render.redact.planted import PLANTED, grown

NAME = "gpu-77.log"
ONE_EACH = list(zip(list(PLANTED)[::12], itertools.cycle(DISGUISES), strict=False))
ALL = [pair for pair in itertools.product(PLANTED, DISGUISES) if pair not in ONE_EACH]


def _answers(path: Path, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Every way that the answer on the log at `path` leaves by, and what leaves."""
    sources = resolve([str(path)], stdin=BytesIO())
    report = explain(sources, catalog)
    hidden, bundle = redacted(report, catalog, sources), redacted_bundle(bundle_of(report, sources), catalog)
    for kind in FORMATS:
        shown = render_prompt(bundle) if kind == "prompt" else render(hidden, kind, Look(verbose=True))
        yield kind, shown
    for kind in ("markdown", "html"):
        yield f"report in {kind}", render_bundle(bundle, kind)
    yield "a message", "\n".join(notice_of_failure(report, catalog, sources))
    for kind in ("text", "json"):
        yield f"the agent server in {kind}", Agent().explain(path=str(path), format=kind)


def _check(kind: str, disguise: str, folder: Path, catalog: Catalog) -> None:
    text, secret = (grown(part) for part in PLANTED[kind])
    log = folder / NAME
    log.write_text(f"step 1 loss 0.5\nRuntimeError: this was refused\n{DISGUISES[disguise](text, secret)}\n", "utf-8")
    for way, shown in _answers(log, catalog):
        assert not is_recognizable(kind, disguise) or readable_parts(secret, disguise, shown) == [], way
        assert way in ("prompt", "the agent server in text") or NAME in shown, way


@pytest.mark.parametrize(("kind", "disguise"), ONE_EACH)
def test_nothing_leaks(kind: str, disguise: str, tmp_path: Path, built_in_catalog: Catalog) -> None:
    _check(kind, disguise, tmp_path, built_in_catalog)


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "disguise"), ALL)
def test_nothing_leaks_of_all(kind: str, disguise: str, tmp_path: Path, built_in_catalog: Catalog) -> None:
    _check(kind, disguise, tmp_path, built_in_catalog)

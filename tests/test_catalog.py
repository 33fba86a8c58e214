"""What the shipped catalog as a whole promises."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import logsense
from logsense.authoring.lint import lint
from logsense.authoring.selftest import Outcome, run_examples
from logsense.catalog.build import build
from logsense.catalog.files import Folder, built_in, listing
from logsense.match.engines import PlainEngine
from logsense.match.hyperscan_engine import HyperscanEngine
from logsense.match.progress import progress_in
from logsense.match.scanner import Scanner
from logsense.model.knowledge import Catalog
from logsense.records.records import records
from tests.corpus_files import messages, samples_of

LEAST_SIGNATURES, LEAST_CAUSES = 700, 105


def samples() -> Iterator[tuple[str, str]]:
    for path, message in messages().items():
        yield from ((path.rsplit(".", 1)[0].replace("/", "."), sample.text) for sample in samples_of(message))


def test_it_is_large_enough(built_in_catalog: Catalog) -> None:
    assert len(built_in_catalog.ids) >= LEAST_SIGNATURES
    assert sum(built_in_catalog.rule(cause) is not None for cause in built_in_catalog.causes) >= LEAST_CAUSES


def test_nothing_is_wrong_with_it() -> None:
    assert [str(problem) for problem in lint()] == []


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return list(run_examples())


def test_the_engine_names_no_message(built_in_catalog: Catalog) -> None:
    package = Path(logsense.__file__).parent
    named = {
        f"{path.relative_to(package)}: {one}"
        for path in package.rglob("*.py")
        for one in re.findall(r"[\"']([\w-]+(?:\.[\w-]+)+)[\"']", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 50
    assert not {one for one in named if one.partition(": ")[2] in built_in_catalog.ids}


def test_every_example_does_what_it_says(outcomes: list[Outcome]) -> None:
    failed = [
        f"{o.example.cause}: {o.example.name}: {o.example.expect}, got {o.named}" for o in outcomes if not o.passed
    ]
    assert failed == []
    assert len(outcomes) >= 2 * LEAST_CAUSES


def test_every_sample_is_found_by_the_scanner(built_in_catalog: Catalog) -> None:
    catalog = built_in_catalog
    engine = HyperscanEngine(catalog.literals, catalog.cache_folder)
    missed = []
    for name, text in samples():
        scanner = Scanner(catalog, engine, records, "sample", size=len(text.encode()), closely_bytes=1 << 20)
        scanner.feed(text.encode())
        found = {finding.signature.id for finding in scanner.finish().findings}
        found |= {finding.signature.id for finding in progress_in(catalog, records(text.encode(), source="sample"))}
        if name not in found and catalog.signature(catalog.ids.index(name)).kind != "progress":
            missed.append(f"{name}: {text[:100]!r}")
    assert missed == []


def test_both_engines_agree_on_every_sample(built_in_catalog: Catalog) -> None:
    texts = [text for _, text in samples()]
    data = "\n".join(texts).encode()
    literals, folder = built_in_catalog.literals, built_in_catalog.cache_folder
    plain, fast = dict(PlainEngine(literals)(data)), dict(HyperscanEngine(literals, folder)(data))
    assert plain == fast
    assert len(plain) > len(texts) // 2


def test_the_order_of_the_files_changes_nothing() -> None:
    folders = [Folder(kind, built_in(kind)) for kind in ("corpus", "rules")]
    files = [(folder, path) for folder in folders for path, _ in listing(folder.path)]
    shuffled = random.Random(7).sample(files, len(files))
    assert build(files) == build(shuffled)

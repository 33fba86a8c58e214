"""Run what the files of the catalog promise: samples of messages, and examples through the real pipeline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from logsense.authoring.samples import check_samples
from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing, place, read_yaml
from logsense.catalog.load import load_catalog
from logsense.catalog.rules import decode_examples
from logsense.catalog.signatures import decode_samples, decode_signature
from logsense.model.knowledge import Problem
from logsense.model.rule import Example
from logsense.pipeline import explain_text


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an example's log gave: the causes in order, and whether that is what the example expects."""

    file: str
    example: Example
    named: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the example did what it says."""
        if self.example.expect == "first":
            return self.named[:1] == (self.example.cause,)
        return (self.example.cause in self.named) == (self.example.expect == "listed")


def run_examples(
    paths: list[str] | None = None, *, rules: str | None = None, corpus: str | None = None
) -> Iterator[Outcome]:
    """Yield the outcome of every example of causes and messages (of files below `paths`, where given), one by one."""
    catalog = load_catalog(rules, corpus)
    for kind, own in (("rules", rules), ("corpus", corpus)):
        for full, data in _files(kind, own, paths):
            for example in decode_examples(data, Problems()):
                report = explain_text(example.log.encode(), catalog)
                yield Outcome(full, example, tuple(d.cause for d in report.diagnoses))


def run_samples(paths: list[str] | None = None, *, corpus: str | None = None) -> Iterator[tuple[int, list[Problem]]]:
    """Yield how many samples each message has (of files below `paths`, where given), and what is wrong with them."""
    for full, data in _files("corpus", corpus, paths):
        problems = Problems()
        signature = decode_signature(data, problems)
        if signature:
            positive, negative = decode_samples(data, problems)
            check_samples(signature, positive, negative, problems)
            yield len(positive) + len(negative), place(full, problems.found) if problems.found else []


def _files(kind: str, own: str | None, paths: list[str] | None) -> Iterator[tuple[str, object]]:
    """Yield the files of messages or causes below `paths`, each with its content."""
    wanted = tuple(os.path.abspath(path) for path in paths or ())
    for root in [built_in(kind), *([own] if own else [])]:
        for path, _ in listing(root):
            full = os.path.join(root, path)
            if any(part.startswith("_") for part in path.split("/")):
                continue
            if wanted and not os.path.abspath(full).startswith(wanted):
                continue
            data, failed = read_yaml(full)
            if not failed and isinstance(data, dict):
                yield full, data

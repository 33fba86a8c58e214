"""Run what the files of the catalog promise: samples through the real reader, examples through the whole pipeline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from logsense.catalog.decode import Path, Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.load import load_catalog
from logsense.catalog.rules import decode_examples
from logsense.catalog.signatures import decode_samples, decode_signature
from logsense.catalog.yaml_files import place, read_yaml
from logsense.match.verify import Verifier
from logsense.model.finding import Finding
from logsense.model.knowledge import Problem
from logsense.model.rule import Example
from logsense.model.signature import Sample, Signature
from logsense.model.values import slot_value
from logsense.pipeline import explain_text
from logsense.records.records import records


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


LEAST_POSITIVE = 2
_VERIFIER = Verifier()


def find_in(signature: Signature, text: str) -> Finding | None:
    """Return the first finding of `signature` in a text, read as a log is read; None when it does not match."""
    found = records(text.encode(), source="sample")
    for number in range(len(found)):
        finding = _VERIFIER.find(signature, found, number)
        if finding:
            return finding
    return None


def check_samples(
    signature: Signature, positive: tuple[Sample, ...], negative: tuple[Sample, ...], problems: Problems
) -> None:
    """Note every sample that does not do what it says, and every slot or detail line that none exercises."""
    if len(positive) < LEAST_POSITIVE:
        problems.add(("samples", "positive"), f"needs at least {LEAST_POSITIVE} positive samples")
    if not negative:
        problems.add(("samples", "negative"), "needs a near miss")
    kinds: dict[str, str] = {}
    for pattern in (*signature.match, *signature.also):
        kinds.update(pattern.slots)
    exercised: set[str] = set()
    for number, sample in enumerate(positive):
        exercised |= _check_positive(signature, sample, kinds, ("samples", "positive", number), problems)
    for number, sample in enumerate(negative):
        if find_in(signature, sample.text):
            problems.add(("samples", "negative", number), "the signature matches this near miss")
    for name in kinds:
        if name not in exercised:
            problems.add(("samples", "positive"), f"no sample exercises the slot {name}")


def _check_positive(
    signature: Signature, sample: Sample, kinds: dict[str, str], path: Path, problems: Problems
) -> set[str]:
    """Note what is wrong with a positive sample; return the slots that it exercises."""
    finding = find_in(signature, sample.text)
    if finding is None or not _scanned_for(signature, sample.text):
        problems.add(path, _why_not(signature, sample.text))
        return set()
    for name, value in finding.captures.items():
        if name not in sample.captures:
            problems.add(path, f"captures leaves out {name}, which is {value!r}")
    for name, promised in sample.captures.items():
        wanted = _wanted(kinds.get(name, "text"), promised)
        if finding.captures.get(name) != wanted and str(finding.captures.get(name)) != str(promised):
            problems.add((*path, "captures", name), f"{name} is {finding.captures.get(name)!r}, not {wanted!r}")
    return set(finding.captures)


def _scanned_for(signature: Signature, text: str) -> bool:
    """Return whether the scanner would look at the text at all."""
    flat = " ".join(text.split())
    folded = flat.lower() if signature.ignore_case else flat
    return any((p.literal.lower() if signature.ignore_case else p.literal) in folded for p in signature.match)


def _why_not(signature: Signature, text: str) -> str:
    """Return why a signature does not match: no literal stands in the text as it is, or the pattern does not fit."""
    if not _scanned_for(signature, text):
        literals = ", ".join(repr(pattern.literal) for pattern in signature.match[:3])
        return f"the scanner looks for {literals}, which does not stand in this sample"
    seen = " / ".join(record.text for record in records(text.encode(), source="sample"))
    return f"the signature does not match this sample, which is read as {seen[:160]!r}"


def _wanted(kind: str, promised: object) -> object:
    if isinstance(promised, bool) or promised is None:
        return promised
    if isinstance(promised, (int, float)) and kind not in ("size", "bytes", "int", "float", "s", "ms", "duration"):
        return str(promised)
    if isinstance(promised, (int, float)) and kind in ("duration", "s"):
        return float(promised)
    return str(promised) if kind == "quoted" else slot_value(kind, str(promised))

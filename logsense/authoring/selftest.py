"""Runs the examples of all rules through the real pipeline."""

from __future__ import annotations

import os
from dataclasses import dataclass

from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing, read_yaml
from logsense.catalog.load import load_catalog
from logsense.catalog.rules import decode_examples
from logsense.pipeline import explain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsense.model.rule import Example


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an example's log gave: the causes in order, and whether that is what the example expects."""

    file: str
    cause: str
    example: Example
    named: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the example did what it says."""
        if self.example.expect == "first":
            return self.named[:1] == (self.cause,)
        return (self.cause in self.named) == (self.example.expect == "listed")


def run_examples(
    paths: list[str] | None = None, *, rules: str | None = None, corpus: str | None = None
) -> Iterator[Outcome]:
    """The outcome of every example in the rules (of files below `paths`, where given), one by one."""
    catalog = load_catalog(rules, corpus)
    wanted = [os.path.abspath(path) for path in paths or ()]
    for root in [built_in("rules"), *([rules] if rules else [])]:
        for path, _ in listing(root):
            full = os.path.join(root, path)
            if path.startswith("_") or (wanted and not any(os.path.abspath(full).startswith(one) for one in wanted)):
                continue
            data, failed = read_yaml(full)
            if failed or not isinstance(data, dict):
                continue
            for example in decode_examples(data, Problems()):
                report = explain_text(example.log.encode(), catalog)
                yield Outcome(full, str(data.get("cause")), example, tuple(d.cause for d in report.diagnoses))

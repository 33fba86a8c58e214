"""Measure what each special pass of the engine is worth: explain logs with one pass at a time switched off.

python scripts/heuristics.py [--every N] [--only WORD] [--changes] [--write] [CASES.yaml …]

The inputs are the logs of examples/, tests/failing, tests/healthy and tests/ranks, some of them in every shape of
tests/shapes.py, a fixed Nth of the samples and examples, and the cases of the case files (see compare_builds.py). A
pass acts on an input where its result differs from that of its replacement. Those inputs are explained again without
it. Prints a table; --changes lists each answer that changes, --write writes the table to docs/heuristics.md.
Of the labelled inputs, those `lost` are wrong without the pass, and those `won` are right.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import inspect
import itertools
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from compare_builds import TEXTS, cases_in, inputs_of, read_yaml  # noqa: E402

from logsense import pipeline  # noqa: E402
from logsense.catalog.load import load_catalog  # noqa: E402
from logsense.model.report import Report  # noqa: E402
from logsense.sources.folder import logs_in  # noqa: E402
from logsense.unwrap import pasted  # noqa: E402
from tests.shapes import SHAPES  # noqa: E402

OF_PASSES = tuple(f"logsense.{one}" for one in ["incident", "runs", "facts", "diagnose", "advise", "records", "unwrap"])
PAGE, SHAPED = ROOT / "docs" / "heuristics.md", 3  # logs in each shape
GROUPS = ("cases", "tests", "shapes", "samples")
WHAT = ("cause", "outcome", "rank", "first fix")
HEADER = (
    f"| pass | what it does | acts on: {', '.join(GROUPS)} | changes: {', '.join(WHAT)} | lost | won |",
    "|---|---|---|---|---|---|",
)


first = lambda one, *_, **__: one  # noqa: E731 - the first argument
# What passes are replaced by, and the passes, each as its module and name.
PASSES: tuple[tuple[Callable[..., Any], str], ...] = (
    (
        lambda *_, **__: False,
        """incident.beside:is_outlasted incident.caught:_is_caught incident.caught:_are_results
        incident.caught:_all_failed incident.held_output:_waited incident.incident:_is_farewell
        incident.incident:_is_survived incident.incident:_winds_down incident.outcome:_under_way
        incident.verdict:_is_paste runs.edited_script:_is_edited_run runs.failures:_is_claimed
        runs.launchers:_is_epilog diagnose.score:_has_progress_after
        diagnose.score:_restates diagnose.score:_states_own_failure diagnose.score:_was_survived match.code:is_beside
        match.code:is_source match.verify:_may_be_cut records.columns:remove_shared records.join:_is_between
        incident.alarms:_ends_in_alarm advise.fixes:_is_about advise.wording:Wording.is_foreign
        advise.wording:Wording.is_elsewhere advise.wording:Wording._asks_language
        facts.rank_places:Places.is_elsewhere facts.rank_places:Places.is_of_rank
        facts.rank_places:Places.names_rank records.columns:_is_dense
        records.join:_leads_on records.join:_same_call records.rank_by_name:is_of_machine
        unwrap.asciicast:begins unwrap.csv_log:begins unwrap.flight_recorder:begins unwrap.json_lines:begins
        unwrap.newest_first:is_newest_first unwrap.notebook:begins unwrap.pretty_json:begins""",
    ),
    (
        lambda *_, **__: None,
        """incident.of_task:standing runs.opening_again:_printed_again unwrap.pasted:undo_pasting
        facts.coverage:coverage facts.exceptions:_own_frame facts.setting:system_of
        diagnose.conditions:_in_frame records.rank_by_name:host_of unwrap.traceback:boxed_frame
        unwrap.traceback:notebook_frame""",
    ),
    (
        lambda *_, **__: frozenset(),
        """incident.beside:places_beside incident.incident:_announced incident.counted:only_counted
        incident.incident:_last incident.overcome:_succeeded incident.overcome:_skipped
        incident.overcome:_of_commands incident.overcome:_ended_for_hanging runs.programs:programs_apart
        facts.waits:_behind facts.waits:_elsewhere facts.waits:silent_ranks diagnose.culprits:_from_place""",
    ),
    (
        first,
        """incident.last_run:without_caught incident.mentioned:meant
        incident.ledger:_chained incident.verdict:settle incident.verdict:_without_trials
        runs.opening_again:with_restarts runs.clocks:in_time runs.clocks:of_this_job
        facts.exceptions:_without_attribute_lookup runs.run_up:with_run_up advise.commands:in_words
        advise.commands:for_system diagnose.chain:_without_same unwrap.parts:join_parts
        unwrap.text:_without_bare_colors model.line:shorten_blanks""",
    ),
    (lambda *_, **__: "", "advise.wording:Wording.other_setting facts.setting:framework_of"),
    (lambda places, anchor, mentioned: mentioned, "facts.rank_places:Places._under_heading"),
    (lambda text: [text], "unwrap.text:_split_messages"),
    (lambda done: done[-1].frames, "records.raised:_frames_of_origin"),
    (first, "incident.asked:with_asked"),
    (lambda reading: (reading, []), "runs.cells:cells_apart"),
    (first, "incident.held_output:in_order"),
)


class Input(NamedTuple):
    """A log, or the path of a job's logs, with what is right: causes, none of a healthy run, and the rank at fault."""

    group: str
    name: str
    what: bytes | str
    causes: Collection[str] | None = None
    rank: int | None = None


class Answer(NamedTuple):
    """What a report says, as far as it is compared."""

    cause: str
    outcome: str
    ranks: tuple[object, ...]
    first_fix: str


class Pass:
    """A function that can be switched off; `acts_on` has the numbers of the inputs on which it does anything."""

    def __init__(self, name: str, off: Callable[..., Any], on: Callable[..., Any], says: str = "") -> None:
        self.name, self._off, self._on = name, off, on
        self.says = says or " ".join((inspect.getdoc(on) or "").partition("\n\n")[0].split())
        self.is_off = False
        self.acts_on: set[int] = set()
        self.now: int | None = None  # the number of the input, while passes are noted

    def __get__(self, of: object, _: type | None = None) -> Any:
        return self if of is None else functools.partial(self, of)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Call the function or its replacement, and note whether their results differ."""
        if self.is_off:
            return self._off(*values, **named)
        result = self._on(*values, **named)
        result = list(result) if inspect.isgenerator(result) else result
        empty = self._off(*values, **named)
        if self.now is not None and result is not empty and result != empty and (result or empty):
            self.acts_on.add(self.now)
        return result


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", metavar="CASES.yaml", nargs="*", type=Path)
    parser.add_argument("--every", metavar="N", type=int, default=20, help="explain a fixed Nth of the samples")
    parser.add_argument("--only", metavar="WORD", default="", help="measure the passes whose name contains WORD")
    parser.add_argument("--changes", action="store_true", help="list the answers that change")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.relative_to(ROOT)}")
    options = parser.parse_args(arguments)
    inputs = list(_inputs(options.cases, options.every))
    passes = [one for one in _passes() if options.only in one.name]
    before = [_explained(one, passes, number) for number, one in enumerate(inputs)]
    for each in passes:
        each.now = None
    table = [*_summary(inputs, before), "", *HEADER]
    print(*table, sep="\n")
    for one in passes:
        one.is_off = True
        after = {number: _explained(inputs[number]) for number in sorted(one.acts_on)}
        one.is_off = False
        table.append(_row(one, inputs, before, after))
        print(table[-1], *(_changes(inputs, before, after) if options.changes else ()), sep="\n", flush=True)
    if options.write:
        page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# What each special pass is worth\n"
        text, _, _ = page.partition("\n## Figures\n")
        PAGE.write_text("\n".join([text, "## Figures\n", *table, ""]), encoding="utf-8")
    return 0


def _row(one: Pass, inputs: list[Input], before: list[Answer], after: dict[int, Answer]) -> str:
    acts = Counter(inputs[number].group for number in after)
    changed = [sum(before[number][at] != new[at] for number, new in after.items()) for at in range(len(WHAT))]
    rights = Counter((_is_right(inputs[n], before[n]), _is_right(inputs[n], new)) for n, new in after.items())
    figures = (", ".join(str(acts[group]) for group in GROUPS), ", ".join(map(str, changed)))
    return f"| `{one.name}` | {' | '.join((one.says, *figures))} | {rights[True, False]} | {rights[False, True]} |"


def _changes(inputs: list[Input], before: list[Answer], after: dict[int, Answer]) -> Iterator[str]:
    for number, new in after.items():
        pairs = [f"{was} → {now}" for was, now in zip(before[number], new, strict=True) if was != now]
        if pairs:
            yield f"    {inputs[number].name}: {' | '.join(pairs)}"


def _summary(inputs: list[Input], before: list[Answer]) -> Iterator[str]:
    for group in GROUPS:
        mine = [(one, answer) for one, answer in zip(inputs, before, strict=True) if one.group == group]
        labelled, right = sum(one.causes is not None for one, _ in mine), sum(itertools.starmap(_is_right, mine))
        yield f"- {group}: {len(mine):,} inputs, {labelled:,} of them labelled, {right:,} right"


def _is_right(one: Input, answer: Answer) -> bool:
    right = answer.cause in one.causes if one.causes else not answer.cause and answer.outcome != "failed"
    return one.causes is not None and right and (one.rank is None or answer.ranks == (one.rank,))


def _explained(one: Input, passes: Collection[Pass] = (), number: int | None = None) -> Answer:
    for each in passes:
        each.now = number
    report = _report(one)
    found = [each for each in report.diagnoses if not each.cause.startswith("benign.")]
    fix = found[0].fixes[0] if found and found[0].fixes else None
    ranks = tuple(each.rank for each in report.culprits)
    return Answer(found[0].cause if found else "", report.outcome, ranks, f"{fix.do} $ {fix.run}" if fix else "")


_catalog = functools.cache(load_catalog)  # it checks all catalog files on each call


def _report(one: Input) -> Report:
    if isinstance(one.what, str):
        return pipeline.explain(logs_in(one.what), _catalog())
    return pipeline.explain_text(one.what, _catalog(), name=one.name)


def _inputs(case_files: list[Path], every: int) -> Iterator[Input]:
    labels = {case["file"]: case["causes"] for case in read_yaml(ROOT / "tests/failing/cases.yaml")}
    jobs = read_yaml(ROOT / "tests/ranks/jobs.yaml")
    logs = []
    for name, what in inputs_of(ROOT):
        path, rest = Path(name), what.partition(" ")[2]
        if path.parts[0] in TEXTS:
            if crc32(what.encode("utf-8", "replace")) % every == 0:
                yield Input("samples", name, rest.encode("utf-8", "surrogateescape"))
        elif path.name in jobs:
            yield Input("tests", name, rest, jobs[path.name]["causes"], int(jobs[path.name]["rank"]))
        else:
            causes = () if "healthy" in path.parts else labels.get(path.name)
            logs.append(Input("tests", name, rest.encode("utf-8", "surrogateescape"), causes))
    yield from logs
    turns = itertools.cycle(logs)
    for shape, change in SHAPES.items():
        for log in itertools.islice(turns, SHAPED):
            lines = log.what.decode("utf-8", "replace").removesuffix("\n").split("\n")  # type: ignore[union-attr]
            yield log._replace(group="shapes", name=f"{log.name}, {shape}", what=change(lines).encode())
    cases = [case for file in case_files for case in read_yaml(file)]
    for case, (name, what) in zip(cases, cases_in(case_files), strict=True):
        truth = [one for one in case.get("truth") or () if not one.startswith("benign.")]
        rank = int(case["rank"]) if str(case.get("rank")).isdecimal() else None
        yield Input("cases", name, what.removeprefix("text ").encode("utf-8", "surrogateescape"), truth, rank)


def _passes() -> Iterator[Pass]:
    """Put each special pass behind a switch, wherever it was imported."""
    for found in pkgutil.walk_packages([str(ROOT / "logsense")], "logsense."):
        if found.name.startswith(OF_PASSES):
            importlib.import_module(found.name)
    for off, names in PASSES:
        for name in names.split():
            module, _, path = name.partition(":")
            *of, function = path.split(".")
            holder = functools.reduce(getattr, of, importlib.import_module(f"logsense.{module}"))
            original = getattr(holder, function)
            one = Pass(name, off, original)
            if of:
                setattr(holder, function, one)
            for other in [other for key, other in sys.modules.items() if key.startswith("logsense.")]:
                for key in [key for key, value in vars(other).items() if value is original]:
                    setattr(other, key, one)
            yield one
    shapes = {
        shape: Pass(f"unwrap: {shape.name}", first, shape.lines, "undo what pasting did") for shape in pasted.PASTED
    }
    pasted.PASTED = tuple(shape._replace(lines=one) for shape, one in shapes.items())
    yield from shapes.values()


if __name__ == "__main__":
    raise SystemExit(main())

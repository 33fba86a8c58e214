"""`logsense rules lint|test|new|pages|schema`: for those who write rules and signatures."""

from __future__ import annotations

import os
import sys

from logsense.cli.output import note
from logsense.render.clean import one_line

STATUS_PROBLEMS = 1


def lint(given: dict[str, object]) -> int:
    """Prints every problem with its place; status 1 if the built-in catalog has one.

    Problems in a user's own folders are warnings: they are printed and do not change the status, unless `strict`.
    """
    from logsense.authoring.lint import lint as problems_of

    paths = _paths(given)
    problems = problems_of(paths or None, rules=_text(given, "rules"), corpus=_text(given, "corpus"))
    own = [os.path.abspath(folder) + os.sep for folder in (_text(given, "rules"), _text(given, "corpus")) if folder]
    lenient = not given.get("strict")
    warnings = [
        problem for problem in problems if lenient and os.path.abspath(problem.file).startswith(tuple(own) or "\0")
    ]
    for problem in problems:
        kind = "warning: " if problem in warnings else ""
        print(f"{_near(problem.file)}:{problem.line}:{problem.column}: {kind}{one_line(problem.sentence)}")
    sys.stdout.flush()
    note(_count(len(problems), "problem") if problems else "no problems")
    return STATUS_PROBLEMS if len(problems) > len(warnings) else 0


def test(given: dict[str, object]) -> int:
    """Runs samples, and examples through the real pipeline; prints those that fail; status 1 if any does."""
    from logsense.authoring.selftest import run_examples, run_samples

    paths, corpus = _paths(given) or None, _text(given, "corpus")
    samples = examples = failed = 0
    for count, problems in run_samples(paths, corpus=corpus):
        samples += count
        failed += len(problems)
        for problem in problems:
            print(f"{_near(problem.file)}:{problem.line}:{problem.column}: {one_line(problem.sentence)}", flush=True)
    for outcome in run_examples(paths, rules=_text(given, "rules"), corpus=corpus):
        examples += 1
        if not outcome.passed:
            failed += 1
            named = ", ".join(outcome.named) or "nothing"
            print(f"{_near(outcome.file)}: {one_line(outcome.example.name)!r}")
            print(f"    expected {outcome.example.cause} to be {outcome.example.expect}, got {named}", flush=True)
    note(f"{_count(samples, 'sample')}, {_count(examples, 'example')}, {failed or 'none'} failed")
    return STATUS_PROBLEMS if failed else 0


def new(given: dict[str, object]) -> int:
    """Prints the file of a message to start from, or writes it below the folder given as output."""
    from logsense.authoring.skeleton import skeleton

    folder = _text(given, "output")
    name, content = skeleton(str(given["line"]))
    if not folder:
        print(f"# {name}\n{content}")
        return 0
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(content)
    print(path)
    return 0


def pages(given: dict[str, object]) -> int:
    """Writes a Markdown page for every cause and every message, and an index of them."""
    from logsense.cli.pages import write_pages

    folder = _text(given, "output") or "pages"
    count = write_pages(folder)
    note(f"{_count(count, 'page')} written to {folder}")
    return 0


def schema(given: dict[str, object]) -> int:
    """Prints the JSON Schema of signatures and rules."""
    import json

    from logsense.authoring.schema import schema as schema_of

    print(json.dumps(schema_of(), indent=2))
    return 0


def _paths(given: dict[str, object]) -> list[str]:
    from logsense.util.errors import InputError

    paths = given.get("paths") or []
    found = [str(path) for path in paths] if isinstance(paths, (list, tuple)) else []
    for path in found:
        if not os.path.exists(path):
            raise InputError(f"{path}: no such file or folder")
    if found:
        from logsense.authoring.lint import outside

        for path in outside(found, _text(given, "rules"), _text(given, "corpus")):
            raise InputError(f"{path} is no part of the catalog; add its folder with --rules DIR or --corpus DIR")
    return found


def _text(given: dict[str, object], key: str) -> str | None:
    value = given.get(key)
    return None if value is None else str(value)


def _near(path: str) -> str:
    """`path` as seen from the current folder, where that is shorter."""
    try:
        return min(os.path.relpath(path), path, key=len)
    except (OSError, ValueError):
        return path


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

"""`logsense rules lint|test|new|pages|schema`: tools for authors of rules and signatures."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from logsense.authoring.lint import lint as problems_of
from logsense.authoring.lint import outside
from logsense.authoring.schema import schema as schema_of
from logsense.authoring.selftest import run_examples, run_samples
from logsense.authoring.skeleton import skeleton
from logsense.catalog.load import load_catalog
from logsense.cli import causes, signatures
from logsense.cli.options import Settings
from logsense.cli.output import note
from logsense.model.knowledge import Problem
from logsense.render.clean import one_line
from logsense.render.knowledge import Entry, render_page
from logsense.render.layout import Look
from logsense.render.markdown import prose
from logsense.util.errors import InputError

STATUS_PROBLEMS = 1


def lint(options: dict[str, object]) -> int:
    """Print every problem with its place; return 1 if the built-in catalog has one.

    Problems in a user's own folders are warnings: they do not change the status unless `strict`.
    """
    rules, corpus = _string(options, "rules"), _string(options, "corpus")
    problems = problems_of(_paths(options) or None, rules=rules, corpus=corpus)
    own = tuple(os.path.abspath(folder) + os.sep for folder in (rules, corpus) if folder)
    warnings = 0
    for problem in problems:
        is_warning = not options.get("strict") and os.path.abspath(problem.file).startswith(own)
        warnings += is_warning
        _print(problem, "warning: " if is_warning else "")
    note(_count(len(problems), "problem") if problems else "no problems")
    return STATUS_PROBLEMS if len(problems) > warnings else 0


def test(options: dict[str, object]) -> int:
    """Run samples, and examples through the whole pipeline; print failures; return 1 if there are any."""
    paths, corpus = _paths(options) or None, _string(options, "corpus")
    samples = examples = failed = 0
    for count, problems in run_samples(paths, corpus=corpus):
        samples += count
        failed += len(problems)
        for problem in problems:
            _print(problem)
    for outcome in run_examples(paths, rules=_string(options, "rules"), corpus=corpus):
        examples += 1
        if not outcome.passed:
            failed += 1
            diagnosed = ", ".join(outcome.named) or "nothing"
            print(f"{_shortest(outcome.file)}: {one_line(outcome.example.name)!r}")
            print(f"    expected {outcome.example.cause} to be {outcome.example.expect}, got {diagnosed}", flush=True)
    note(f"{_count(samples, 'sample')}, {_count(examples, 'example')}, {failed or 'none'} failed")
    return STATUS_PROBLEMS if failed else 0


def new(options: dict[str, object]) -> int:
    """Print the skeleton of a message's file, or write it below the output folder."""
    folder = _string(options, "output")
    name, content = skeleton(str(options["line"]))
    if not folder:
        print(f"# {name}\n{content}")
        return 0
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(content)
    print(path)
    return 0


def pages(options: dict[str, object]) -> int:
    """Write a Markdown page for every cause and every message, and an index."""
    folder = _string(options, "output") or "pages"
    count = write_pages(folder)
    note(f"{_count(count, 'page')} written to {folder}")
    return 0


def schema(options: dict[str, object]) -> int:
    """Print the JSON Schema of signatures and rules."""
    print(json.dumps(schema_of(), indent=2))
    return 0


def write_pages(folder: str) -> int:
    """Write a page for each cause and each message below `folder`, and an index. Return the number of pages.

    Raise OSError if the folder can't be written.
    """
    catalog, settings = load_catalog(), Settings()
    lists = {"causes": causes.entries(catalog), "messages": signatures.entries(catalog)}
    for kind, page_of in (("causes", causes.page), ("messages", signatures.page)):
        os.makedirs(os.path.join(folder, kind), exist_ok=True)
        for entry in lists[kind]:
            page = page_of(catalog, entry.id, settings)
            assert page, "every listed id has a page"
            _write_page(folder, f"{kind}/{entry.id}.md", render_page(page, "markdown", Look(), linked=True))
    _write_page(folder, "index.md", _index(lists))
    return sum(map(len, lists.values())) + 1


def _index(lists: dict[str, list[Entry]]) -> str:
    blocks = ["# What logsense knows"]
    for kind, entries in lists.items():
        blocks.append(f"## {kind.capitalize()}")
        blocks += [_family(kind, name, entries) for name in dict.fromkeys(one.id.partition(".")[0] for one in entries)]
    return "\n\n".join(blocks) + "\n"


def _family(kind: str, name: str, entries: Sequence[Entry]) -> str:
    rows = [f"- [{prose(one.says)}]({kind}/{one.id}.md)" for one in entries if one.id.partition(".")[0] == name]
    return f"### {prose(name)}\n\n" + "\n".join(rows)


def _write_page(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _paths(options: dict[str, object]) -> list[str]:
    paths = options.get("paths") or []
    found = [str(path) for path in paths] if isinstance(paths, (list, tuple)) else []
    for path in found:
        if not os.path.exists(path):
            raise InputError(f"{path}: no such file or folder")
    if found:
        for path in outside(found, _string(options, "rules"), _string(options, "corpus")):
            raise InputError(f"{path} is not part of the catalog; add its folder with --rules DIR or --corpus DIR")
    return found


def _string(options: dict[str, object], key: str) -> str | None:
    value = options.get(key)
    return None if value is None else str(value)


def _print(problem: Problem, kind: str = "") -> None:
    place = f"{_shortest(problem.file)}:{problem.line}:{problem.column}"
    print(f"{place}: {kind}{one_line(problem.sentence)}", flush=True)


def _shortest(path: str) -> str:
    """Return `path` relative to the current folder, if that is shorter."""
    try:
        return min(os.path.relpath(path), path, key=len)
    except (OSError, ValueError):
        return path


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

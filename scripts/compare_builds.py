"""Explain all logs of the project with two builds, and list what changed.

python scripts/compare_builds.py [--every N] OLD NEW [CASES.yaml …]

OLD and NEW are each a folder with a checkout, or a git revision. The inputs are the samples of corpus/ and the
examples of rules/ in both builds, the logs in examples/, tests/failing, tests/healthy and tests/ranks, and the `log`
or `file` of each case in the case files; with --every N, a fixed Nth of them. Lists every changed outcome, cause,
confidence, title and first fix. The exit status is 1 if something changed, and 2 if a build can't be run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any
from zlib import crc32

import yaml

LOGS = ("examples/*.log", "tests/failing/*.log", "tests/healthy/*.log")
JOBS = "tests/ranks"  # a folder for each job, with the logs of its ranks
TEXTS = {"corpus": ("samples", "text"), "rules": ("examples", "log")}  # the key of a list, and of each log in it
SHOWN = 150  # characters of a sentence

Answer = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Compare two builds, print what changed, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("cases", metavar="CASES.yaml", nargs="*", type=Path)
    parser.add_argument("--every", metavar="N", type=int, default=1, help="explain a fixed Nth of the inputs only")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        builds = [_build(name, Path(scratch) / side) for side, name in (("old", options.old), ("new", options.new))]
        inputs: dict[str, str] = {}  # text or path of each input → its name
        for build in builds:
            inputs |= {what: name for name, what in inputs_of(build) if what not in inputs}
        inputs |= {what: name for name, what in cases_in(options.cases) if what not in inputs}
        inputs = {
            what: name for what, name in inputs.items() if crc32(what.encode("utf-8", "replace")) % options.every == 0
        }
        answers = _answers(builds, list(inputs), Path(scratch))
        before, after = (dict(zip(inputs.values(), one, strict=True)) for one in answers)
    return report(before, after)


def report(before: dict[str, Answer], after: dict[str, Answer]) -> int:
    """Print what differs between two sets of answers, and return the exit status."""
    counts: Counter[str] = Counter()
    differing = 0
    for name, old in before.items():
        found = list(changes(old, after[name]))
        differing += bool(found)
        counts.update(what for what, _, _ in found)
        for what, one, other in found:
            print(f"{name}: {what}\n  - {_short(one)}\n  + {_short(other)}")
    listed = ", ".join(f"{what} {count:,}" for what, count in counts.most_common())
    print(f"{len(before):,} inputs explained, {differing:,} differ" + (f" ({listed})" if listed else ""))
    return 1 if differing else 0


def changes(old: Answer, new: Answer) -> Iterator[tuple[str, object, object]]:
    """Yield what differs between two answers to an input, before and after."""
    if old["outcome"] != new["outcome"]:
        yield "outcome", old["outcome"], new["outcome"]
    causes, others = ([one["cause"] for one in answer["diagnoses"]] for answer in (old, new))
    if causes != others:
        yield "cause", causes, others
    for one, other in zip_longest(old["diagnoses"], new["diagnoses"]):
        if not one or not other or one["cause"] != other["cause"]:
            return
        for what in ("confidence", "title", "first fix"):
            if one[what] != other[what]:
                yield what, one[what], other[what]


def _build(name: str, scratch: Path) -> Path:
    """Return the folder of a build: `name` itself, or that git revision extracted to `scratch`."""
    if (Path(name) / "logsense").is_dir():
        return Path(name).resolve()
    archive = subprocess.run(["git", "archive", name], capture_output=True, check=False)
    if archive.returncode:
        _stop(f"{name} is neither a checkout nor a revision: {_last_line(archive.stderr)}")
    scratch.mkdir()
    subprocess.run(["tar", "-xf", "-", "-C", str(scratch)], input=archive.stdout, check=True)
    return scratch


def inputs_of(build: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each input in a build, and "text " with its text or "path " with its path."""
    for folder, (listed, key) in TEXTS.items():
        for file in sorted((build / folder).rglob("*.yaml")):
            data = read_yaml(file)
            texts = _texts(data.get(listed) if isinstance(data, dict) else None, key)
            for number, text in enumerate(texts, start=1):
                yield f"{file.relative_to(build)}, {listed} {number}", "text " + text
    for pattern in LOGS:
        for log in sorted(build.glob(pattern)):
            yield str(log.relative_to(build)), "text " + decoded(log.read_bytes())
    for job in sorted(path for path in (build / JOBS).glob("*") if path.is_dir()):
        yield str(job.relative_to(build)), f"path {job}"


def _texts(data: object, key: str) -> Iterator[str]:
    """Yield every log in `data`: a string in a list, or one under `key`."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        inner: Iterable[object] = [data[key]] if key in data else data.values()
        for one in inner:
            yield from _texts(one, key)
    elif isinstance(data, list):
        for one in data:
            yield from _texts(one, key)


def cases_in(files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield the same for each case in case files."""
    for file in files:
        for case in read_yaml(file):
            text = case["log"] if "log" in case else decoded((file.parent / case["file"]).read_bytes())
            yield f"{file.name}, {case['id']}", "text " + text


def _answers(builds: list[Path], inputs: list[str], scratch: Path) -> list[list[Answer]]:
    """Return each build's answers to `inputs`; the builds run in parallel, in separate processes."""
    inputs_file = scratch / "inputs.json"
    inputs_file.write_text(json.dumps(inputs))
    processes = []
    for number, build in enumerate(builds):
        environment = {**os.environ, "PYTHONPATH": str(build), "XDG_CACHE_HOME": str(scratch / f"cache-{number}")}
        command = [sys.executable, "-c", _PROGRAM, str(inputs_file), str(scratch / f"{number}.json"), str(build)]
        processes.append(subprocess.Popen(command, cwd=scratch, env=environment, stderr=subprocess.PIPE))
    for build, process in zip(builds, processes, strict=True):
        _, error = process.communicate()
        if process.returncode:
            _stop(f"{build} can't explain: {_last_line(error)}")
    return [json.loads((scratch / f"{number}.json").read_text()) for number in range(len(builds))]


# Runs in each build and uses only documented interfaces: the library's `explain` and its JSON.
_PROGRAM = """
import functools, json, sys
from pathlib import Path
import logsense
from logsense import api

inputs, answers, build = map(Path, sys.argv[1:])
assert build in Path(logsense.__file__).parents, f"{logsense.__file__} was imported instead"
if hasattr(api, "load_catalog"):  # it checks all catalog files on each call
    api.load_catalog = functools.cache(api.load_catalog)

def answer(what):
    kind, _, rest = what.partition(" ")
    try:
        found = logsense.explain(rest if kind == "path" else rest.encode("utf-8", "surrogateescape"))
        report = json.loads(found.write("json"))
    except Exception as error:
        return {"outcome": f"{type(error).__name__}: {error}", "diagnoses": []}
    diagnoses = [
        {
            "cause": one["cause"],
            "confidence": one["confidence"],
            "title": one["title"],
            "first fix": " $ ".join(filter(None, (fix.get(key) for fix in one["fixes"][:1] for key in ("do", "run")))),
        }
        for one in report["diagnoses"]
    ]
    return {"outcome": report["outcome"], "diagnoses": diagnoses}

answers.write_text(json.dumps([answer(what) for what in json.loads(inputs.read_text())]))
"""


def read_yaml(file: Path) -> Any:
    """Return the content of a YAML file, in which every value is a text."""
    return yaml.load(file.read_bytes(), getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 - only texts


def decoded(data: bytes) -> str:
    """Return `data` as text; bytes that are not UTF-8 become surrogates."""
    return data.decode("utf-8", "surrogateescape")


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _last_line(error: bytes) -> str:
    return (error.decode("utf-8", "replace").strip().splitlines() or ["no error message"])[-1]


def _stop(message: str) -> None:
    print(f"compare_builds: {message}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    raise SystemExit(main())

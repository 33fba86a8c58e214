"""Read YAML as plain data, with the place of every value for error messages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import yaml

from logsense.model.knowledge import Problem

Path = tuple["str | int", ...]  # of a value in the data of a file
DEEPEST = 100  # levels of nesting
MOST_VALUES = 100_000
# What may refer to another place, or nest deep without a bracket.
_SUSPECT = r"(?m)(?:^|[\s\[{,])&[^\s&]|^ {100}|(?:[-?] ){40}"
_SIGNS = ("&", " " * 100, "- -", "- ?", "? -", "? ?")  # one of which stands wherever that holds
# Python refuses to write longer ones out.
_LONG = 400
_LONG_NUMBER = rf"[0-9a-fA-F_:]{{{_LONG}}}"


def read_yaml(path: str) -> tuple[object, list[Problem]]:
    """Return the plain data of a YAML file, and the problems that keep it from being read. Dates stay texts."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        wrong = _refused(text)
        if wrong:
            return None, [Problem(path, wrong[0], 1, wrong[1])]
        return yaml.load(text, Loader=_loader()), []  # noqa: S506 - it is a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return None, [Problem(path, line, column, f"not YAML: {error.problem or error.context}")]
    except yaml.YAMLError as error:
        return None, [Problem(path, 1, 1, f"not YAML: {error}")]
    except (OSError, ValueError, RecursionError) as error:
        return None, [Problem(path, 1, 1, f"can't be read: {error}")]


def _refused(text: str) -> tuple[int, str] | None:
    """Return the line at which a text nests too deep or becomes too large, and what is wrong; None if it can be read.

    Deep nesting overruns the stack of YAML's C library; references can stand for a text of any length.
    """
    number = re.search(_LONG_NUMBER, text) if max(map(len, text.split("\n"))) >= _LONG else None
    if number:
        return text.count("\n", 0, number.start()) + 1, "a number of more than 400 digits"
    suspect = any(sign in text for sign in _SIGNS) and re.search(_SUSPECT, text)
    if not suspect and text.count("[") + text.count("{") < DEEPEST:
        return None
    begun: list[tuple[str | None, int]] = []  # the anchors of what is open, and the values before it
    sizes: dict[str | None, int] = {}  # the values that a reference stands for
    count = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            begun.append((event.anchor, count))
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            anchor, before = begun.pop()
            sizes[anchor] = count - before
        elif isinstance(event, yaml.AliasEvent):
            if any(event.anchor == anchor for anchor, _ in begun):
                return _line(event), f"*{event.anchor} refers to itself"
            count += sizes.get(event.anchor, 0)
        count += 1
        if len(begun) > DEEPEST:
            return _line(event), f"nested deeper than {DEEPEST} levels"
        if count > MOST_VALUES:
            return _line(event), f"more than {MOST_VALUES:,} values, references counted as what they stand for"
    return None


def _line(event: Any) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def place(path: str, found: list[tuple[Path, str]]) -> list[Problem]:
    """Return `found`, whose paths lead into the data of the file at `path`, as problems with line and column."""
    with open(path, encoding="utf-8") as file:
        root = yaml.compose(file.read(), Loader=_loader())
    problems = []
    for steps, sentence in found:
        mark = _mark(root, steps)
        problems.append(Problem(path, mark.line + 1 if mark else 1, mark.column + 1 if mark else 1, sentence))
    return problems


def duplicate_keys(path: str) -> list[Problem]:
    """Return the keys that occur twice in a mapping of the YAML file at `path`; only the last would count."""
    problems: list[Problem] = []
    with open(path, encoding="utf-8") as file:
        nodes = [yaml.compose(file.read(), Loader=_loader())]
    while nodes:
        node = nodes.pop()
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            keys: set[str] = set()
            for key, value in node.value:
                nodes.append(value)
                name = str(key.value)
                if name in keys:
                    mark = key.start_mark
                    problems.append(Problem(path, mark.line + 1, mark.column + 1, f"{name} stands twice"))
                keys.add(name)
    return problems


def _mark(node: Any, steps: Path) -> Any:
    mark = node.start_mark if node is not None else None
    for step in steps:
        if isinstance(node, yaml.MappingNode):
            pair = next((p for p in node.value if str(p[0].value) == str(step)), None)
            if pair is None:
                break
            mark, node = pair[0].start_mark, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            mark = node.start_mark
    return mark


@lru_cache(maxsize=1)
def _loader() -> Any:
    """Return a safe loader (plain data only) that leaves dates as texts."""
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in base.yaml_implicit_resolvers.items()
    }
    return type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})

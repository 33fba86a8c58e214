"""Find the catalog's files and read their YAML, with the place of every value for error messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache

from logsense.model.knowledge import Problem
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Path = tuple["str | int", ...]  # of a value in the data of a file
DEEPEST = 100  # levels of nesting
MOST_VALUES = 100_000
MOST_ENTRIES, MOST_BYTES = 20_000, 64 << 20  # of one folder of knowledge, with all below it
# What may refer to another place, or nest deep without a bracket.
_SUSPECT = r"(?m)(?:^|[\s\[{,])&[^\s&]|^ {100}|(?:[-?] ){40}"
_SIGNS = ("&", " " * 100, "- -", "- ?", "? -", "? ?")  # one of which stands wherever that holds
# Python refuses to write longer ones out.
_LONG = 400
_LONG_NUMBER = rf"[0-9a-fA-F_:]{{{_LONG}}}"


class Folder(NamedTuple):
    """A folder of knowledge: its `kind` ("corpus" or "rules"), its path, and for a project's the name it goes by."""

    kind: str
    path: str
    origin: str = ""


class TooLargeError(ValueError):
    """A folder that holds far more than anybody's knowledge; its text says so."""


def built_in(folder: str) -> str:
    """Return the path of the built-in `folder` ("rules" or "corpus"): in the package, or beside it in a checkout."""
    inside = os.path.join(_package(), "_data", folder)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_package()), folder)


def shipped() -> str:
    """Return the path of the compiled catalog that a wheel brings; there is none in a checkout."""
    return os.path.join(_package(), "_data", "catalog.bin")


def _package() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def listing(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all .yaml files below `root`, in order: relative paths and stats.

    Skips what cannot be read, and a folder that a link leads back to. Raise TooLargeError.
    """
    stack = [("", root)]
    seen: set[tuple[int, int]] = set()
    count = size_bytes = 0
    while stack:
        prefix, folder = stack.pop()
        try:
            here = os.stat(folder)
            if (here.st_dev, here.st_ino) in seen:
                continue
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        seen.add((here.st_dev, here.st_ino))
        count += len(entries)
        folders = []
        for entry in entries:
            if entry.name.endswith((".yaml", ".yml")):
                found = _file(entry)
                if found:
                    size_bytes += found.st_size
                    yield prefix + entry.name, found
            elif not entry.name.startswith(".") and entry.is_dir():
                folders.append((f"{prefix}{entry.name}/", entry.path))
        if count > MOST_ENTRIES or size_bytes > MOST_BYTES:
            raise TooLargeError(
                f"{root} holds more than {MOST_ENTRIES:,} files or {MOST_BYTES >> 20} MiB; nothing of it is used"
            )
        stack += reversed(folders)


def _file(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the stat of a plain file; None for a pipe, which would wait for a writer, and for a broken link."""
    try:
        return entry.stat() if entry.is_file() else None
    except OSError:
        return None


def read_yaml(path: str) -> tuple[object, list[Problem]]:
    """Return the plain data of a YAML file, and the problems that keep it from being read. Dates stay texts."""
    import yaml

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
    import yaml

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
    import yaml

    with open(path, encoding="utf-8") as file:
        root = yaml.compose(file.read(), Loader=_loader())
    problems = []
    for steps, sentence in found:
        mark = _mark(root, steps)
        problems.append(Problem(path, mark.line + 1 if mark else 1, mark.column + 1 if mark else 1, sentence))
    return problems


def duplicate_keys(path: str) -> list[Problem]:
    """Return the keys that occur twice in a mapping of the YAML file at `path`; only the last would count."""
    import yaml

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
    import yaml

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
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in base.yaml_implicit_resolvers.items()
    }
    return type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})

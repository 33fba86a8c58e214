"""Where imports of our own modules stand: at the top, in one direction, and in functions only where a start would pay."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "logsense"
# What most runs do not need, and every start would pay for: commands and formats, kinds of input, stages for rare runs.
LAZY = {
    "advise/wording.py",
    "catalog/load.py",
    "match/engines.py",
    "match/read.py",
    "render/formats.py",
    "sources/file.py",
    "sources/find.py",
}


def _imports(tree: ast.AST, inside: bool = False) -> Iterator[tuple[str, str, bool]]:
    """Each module and name of our own that is imported, and whether that stands in a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "logsense":
            yield from ((node.module or "", alias.name, inside) for alias in node.names)
        yield from _imports(node, inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def _modules() -> dict[str, ast.Module]:
    files = {path: path.relative_to(ROOT).with_suffix("").parts for path in PACKAGE.rglob("*.py")}
    return {
        ".".join(parts[:-1] if parts[-1] == "__init__" else parts): ast.parse(path.read_text("utf-8"))
        for path, parts in files.items()
    }


def test_imports_stand_at_the_top() -> None:
    lazy = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(inside for _, _, inside in _imports(ast.parse(path.read_text("utf-8"))))
    }
    assert {path for path in lazy if not path.startswith("cli/")} == LAZY


def test_no_module_imports_itself_over_others() -> None:
    modules = _modules()
    below = {
        name: {f"{module}.{what}" if f"{module}.{what}" in modules else module for module, what, _ in _imports(tree)}
        for name, tree in modules.items()
    }
    while leaves := {name for name, needed in below.items() if not needed & below.keys()}:
        below = {name: needed for name, needed in below.items() if name not in leaves}
    assert not below, f"a circle of imports among {sorted(below)}"

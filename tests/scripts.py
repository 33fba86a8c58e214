"""Loads a program of scripts/ as a module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


def script(name: str) -> ModuleType:
    """Return `scripts/NAME.py` as a module."""
    folder = str(ROOT / "scripts")
    if folder not in sys.path:  # as Python does for a program
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

"""Leaves out what takes minutes unless it is asked for: `pytest -m harm tests/harm`."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Knows the marker."""
    config.addinivalue_line("markers", "harm: faults injected at random moments; minutes (pytest -m harm tests/harm)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks everything here, and leaves it out where that marker is not asked for."""
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        item.add_marker("harm")
    if ours and "harm" not in config.getoption("-m"):
        items[:] = [item for item in items if item not in ours]
        config.hook.pytest_deselected(items=ours)

"""A small catalog of the tests' own, written to a folder and loaded like any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.catalog import Catalog

Write = Callable[..., Catalog]


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps compiled catalogs and recorded runs apart from the user's, but together within the run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "state"))
        yield


@pytest.fixture
def write_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files (path → YAML) below a folder that then stands for the built-in one, and loads it."""

    def write(files: dict[str, str]) -> Catalog:
        for path, text in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (tmp_path / "corpus").mkdir(exist_ok=True)
        (tmp_path / "rules").mkdir(exist_ok=True)

        def own(folder: str) -> str:
            return str(tmp_path / folder)

        for module in ("catalog.load", "authoring.lint", "authoring.selftest"):
            monkeypatch.setattr(f"logsense.{module}.built_in", own)
        return load_catalog()

    return write


@pytest.fixture(scope="session")
def built_in_catalog() -> Catalog:
    """The catalog that is shipped."""
    return load_catalog()

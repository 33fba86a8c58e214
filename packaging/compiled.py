"""Puts the compiled catalog into the wheel, so that nobody waits for it to be compiled (a hook of hatchling)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILE = "import sys; from logsense.catalog.load import packed_catalog; sys.stdout.buffer.write(packed_catalog())"


class CompiledCatalog(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Compiles the catalog of this checkout with the Python that builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the file to what the wheel holds; an editable install compiles what is edited as it is needed."""
        if version == "editable":
            return
        # pip hands on what a build needs in PYTHONPATH.
        path = os.pathsep.join(filter(None, (self.root, os.environ.get("PYTHONPATH"))))
        done = subprocess.run(
            [sys.executable, "-c", COMPILE],
            check=True,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name, "catalog.bin")
        file.write_bytes(done.stdout)
        build_data["force_include"][str(file)] = "logsense/_data/catalog.bin"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what was made for the wheel."""
        if version != "editable":
            self._folder.cleanup()

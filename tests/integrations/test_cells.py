"""Cells of a real Jupyter kernel."""

from __future__ import annotations

import os
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

pytestmark = pytest.mark.notebooks

CELLS = {
    "load": "%load_ext logsense",
    "early": "%logsense",
    "fails": "import flash_attn_that_is_not_there",
    "again": "%logsense",
    "plain": "1/0",
    "wrong": "x = = 1",
    "awaits": "import asyncio\nawait asyncio.sleep(0)\nraise FileNotFoundError(2, 'No such file or directory', '/data/x.bin')",
    "shell": "%%logsense\necho begin\nexit 0",
    "shell fails": "%%logsense\necho begin\nsh -c 'kill -9 $$'\n",
    "log": "%logsense 'CUDA error: device-side assert triggered'",
    "no log": "%logsense nowhere.log",
    "command": "%logsense causes gpu-memory.capacity",
    "status": "!echo fine; exit 3",
    "program": "print('step 7 loss 2.5')\n!python -c 'import flash_attn_that_is_not_there'",
    "no program": "_exit_code",
    "bash": "%%bash\necho step 9 loss 2.5\npython -c 'import flash_attn_that_is_not_there'",
    "course": "print('step 4120/10000 loss 2.5')\nopen('/data/x.bin')",
    "beneath": "import os, time\nos.system('echo step 12 loss 1.5')\ntime.sleep(0.5)\nimport flash_attn_that_is_not_there",
    "no kernel": "%logsense kernel",
    "twice": "%load_ext logsense",
    "once": "import flash_attn_that_is_not_there",
    "unload": "%unload_ext logsense",
    "unloaded": "import flash_attn_that_is_not_there",
    "streams": "import sys\nprint([getattr(s.write, 'logsense', None) for s in (sys.stdout, sys.stderr)])",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    state = tmp_path_factory.mktemp("state")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    environ = {**os.environ, "XDG_STATE_HOME": str(state)}
    environ.pop("PYTEST_CURRENT_TEST", None)  # under it a kernel does not hear what is printed beneath Python
    nbclient.NotebookClient(notebook, allow_errors=True, timeout=120).execute(env=environ)
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def _shown(outputs: list[Any]) -> list[str]:
    return [output.data["text/plain"] for output in outputs if output.output_type == "display_data"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_cells(outputs: dict[str, list[Any]]) -> None:
    assert outputs["load"] == []
    assert "no cell has failed yet" in outputs["early"][0].text

    error, card = outputs["fails"]
    assert (error.output_type, error.ename) == ("error", "ModuleNotFoundError")
    assert "is not installed" in card.data["text/plain"]
    assert "<b>" in card.data["text/html"]
    assert "is not installed" in _shown(outputs["again"])[0]

    assert [one.output_type for one in outputs["plain"]] == ["error"]
    assert [one.output_type for one in outputs["wrong"]] == ["error"]
    assert "/data/x.bin doesn't exist" in _shown(outputs["awaits"])[0]

    assert [one.text for one in outputs["shell"]] == ["begin\n"]
    assert outputs["shell fails"][0].text.startswith("begin\n")
    assert "ran out" in _shown(outputs["shell fails"])[0]  # of memory; the kernel may name what it killed

    assert _shown(outputs["log"])
    assert "no such file" in outputs["no log"][0].text
    assert "gpu-memory.capacity" in outputs["command"][0].text
    assert [one.output_type for one in outputs["unloaded"]] == ["error"]

    # The kernel may name what it killed just before, elsewhere on this machine.
    assert [shown for shown in _shown(outputs["status"]) if "ran out" not in shown] == []
    program = _shown(outputs["program"])[0]
    assert "is not installed" in program
    assert "step 7" in program
    assert [one.output_type for one in outputs["no program"]] == ["execute_result"]
    assert "step 9" in _shown(outputs["bash"])[0]
    assert "step 4,120 of 10,000" in _shown(outputs["course"])[0]
    assert "step 12" in _shown(outputs["beneath"])[0]
    assert "no recorded kernel of this notebook has died" in outputs["no kernel"][0].text
    assert len(_shown(outputs["once"])) == 1
    assert outputs["streams"][0].text == "[None, None]\n"

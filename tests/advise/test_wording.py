"""Sentences tell long paths from their package on, and keep the names of commands; commands keep paths whole."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text

LIBRARY = "custom_ops/_C.cpython-310-x86_64-linux-gnu.so"


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("/home/somebody/miniconda3/envs/project/lib/python3.10/site-packages/", f"…/{LIBRARY}"),
        ("/srv/dist-packages/", f"…/{LIBRARY}"),
        ("/srv/", None),
        ("/home/somebody/projects/with/a/long/name/build/lib/", None),
    ],
)
def test_a_long_path_into_a_package_is_told_from_the_package_on(folder: str, told: str | None) -> None:
    log = f"ImportError: {folder}{LIBRARY}: undefined symbol: _ZN2at4_ops5zeros4callEN3c108ArrayRefIlEE\n"
    first = explain_text(log.encode(), load_catalog()).diagnoses[0]
    assert first.title == f"{told or folder + LIBRARY} was built for a different PyTorch"
    assert first.evidence[0].text == log.strip()


def test_a_sentence_that_begins_with_a_command_keeps_its_small_letter() -> None:
    log = "slurmstepd: error: execve(): trainer: No such file or directory\n"
    assert explain_text(log.encode(), load_catalog()).diagnoses[0].title.startswith("srun couldn't start")


def test_a_number_in_a_command_has_no_commas() -> None:
    from logsense.advise.wording import _shown

    assert (_shown("int", 592595, whole=True), _shown("int", 592595, whole=False)) == ("592595", "592,595")

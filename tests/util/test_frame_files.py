"""The files in a traceback that are the user's own."""

from __future__ import annotations

import pytest

from logsense.util.frame_files import is_own


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("train.py", True),
        ("<ipython-input-3-0a1b>", True),
        ("/opt/conda/bin/accelerate", False),
        ("/usr/lib/python3.10/runpy.py", False),
        ("D:\\Python39\\lib\\threading.py", False),
        ("<frozen runpy>", False),
        ("h5py/h5o.pyx", False),
        ("mtrand.pyx", False),
        ("/home/ana/proj/ops.pyx", True),
    ],
)
def test_which_files_are_the_programs_own(file: str, own: bool) -> None:
    assert is_own(file) is own

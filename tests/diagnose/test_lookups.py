"""Facts that are looked up in a table: whose function a symbol is, by a part of its name."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text


@pytest.mark.parametrize(
    ("symbol", "title"),
    [
        ("_ZN4cudf2io9read_jsonEv", "/opt/x/mine.so was built for another libcudf"),
        ("_ZN7c10_npu3acl4InitEv", "/opt/x/mine.so was built for another torch_npu"),
        ("_ZN3c104cuda9SetDeviceEi", "/opt/x/mine.so was built for another PyTorch"),
        ("frobnicate", "/opt/x/mine.so needs frobnicate, which no loaded library has"),
    ],
)
def test_the_first_row_that_is_within_the_fact_counts(symbol: str, title: str) -> None:
    report = explain_text(f"ImportError: /opt/x/mine.so: undefined symbol: {symbol}\n".encode(), load_catalog())
    assert report.diagnoses[0].title == title


@pytest.mark.parametrize(
    ("module", "title"),
    [
        ("ConfigParser", "The code is written for Python 2: ConfigParser is configparser in Python 3"),
        ("configparser", "The Python that runs is older than this code: configparser came with 3.0"),
        ("stringio", "The Python package stringio is not installed"),
    ],
)
def test_names_of_modules_are_looked_up_in_large_and_small_letters(module: str, title: str) -> None:
    report = explain_text(f"ImportError: No module named {module}\n".encode(), load_catalog())
    assert report.diagnoses[0].title == title

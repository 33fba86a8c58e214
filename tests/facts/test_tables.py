"""Facts that are looked up in a table, and what a table says beyond its end."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.facts.tables import best_row
from logsense.model.rule import Table
from logsense.model.values import version_key
from logsense.pipeline import explain_text


@pytest.mark.parametrize(
    ("symbol", "title"),
    [
        ("_ZN4cudf2io9read_jsonEv", "/opt/x/mine.so was built for a different libcudf"),
        ("_ZN7c10_npu3acl4InitEv", "/opt/x/mine.so was built for a different torch_npu"),
        ("_ZN3c104cuda9SetDeviceEi", "/opt/x/mine.so was built for a different PyTorch"),
        ("frobnicate", "/opt/x/mine.so needs frobnicate, which is not loaded"),
    ],
)
def test_the_first_row_that_is_within_the_fact_counts(symbol: str, title: str) -> None:
    report = explain_text(f"ImportError: /opt/x/mine.so: undefined symbol: {symbol}\n".encode(), load_catalog())
    assert report.diagnoses[0].title == title


@pytest.mark.parametrize(
    ("module", "title"),
    [
        ("ConfigParser", "Python 2 code: ConfigParser is configparser in Python 3"),
        ("configparser", "Python is too old for this code: configparser needs 3.0"),
        ("stringio", "Python can't find the module stringio"),
    ],
)
def test_names_of_modules_are_looked_up_in_large_and_small_letters(module: str, title: str) -> None:
    report = explain_text(f"ImportError: No module named {module}\n".encode(), load_catalog())
    assert report.diagnoses[0].title == title


RELEASES = Table(
    "t", "Parts of each thing", "2030-01-02", "s", {"v": "version", "part": "text"},
    ({"v": "2.9.0", "part": "a"}, {"v": "2.9.1", "part": "b"}, {"v": "2.10.0", "part": "c"}),
    {"v": "2.10.0"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("version", "by_release", "at_most"),
    [
        ("2.9.0", "a", "a"),
        ("2.9.1+cu130", "b", "b"),
        ("2.9", "b", None),
        ("2.9.5", None, "b"),
        ("2.8.0", None, None),
        ("2.10.0.post1", "c", "c"),
        ("2.10.1", None, None),
        ("3.0", None, None),
        ("nightly", None, None),
    ],
)
def test_a_release_without_a_row_has_none(version: str, by_release: str | None, at_most: str | None) -> None:
    for match, part in (("release", by_release), ("at_most", at_most)):
        row = best_row(RELEASES, {"v": version}, match)
        assert (row and row["part"]) == part, match


def test_a_version_beyond_the_table_is_said_and_gets_no_recommendation() -> None:
    symbol = "ImportError: /e/vllm/_C.abi3.so: undefined symbol: _ZN3c104cuda9SetDeviceEi\n"
    log = "INFO vLLM API server version {}\n" + symbol
    known, newer = (explain_text(log.format(v).encode(), load_catalog()).diagnoses[0] for v in ("0.32.0", "9.40.0"))
    assert any(fix.run and "vllm==0.32.0 torch==2.13.0" in fix.run for fix in known.fixes)
    assert "no data on" not in known.explanation
    assert "no data on 9.40.0 (vLLM) yet" in newer.explanation
    assert not any(fix.run and "vllm==" in fix.run for fix in newer.fixes)


NEW_SMI = "| NVIDIA-SMI 990.12.01    Driver Version: 990.12.01    CUDA Version: {}     |\n"


@pytest.mark.parametrize(
    "log",
    [
        "RuntimeError: The NVIDIA driver on your system is too old (found version 94000).",
        NEW_SMI.format("94.0")
        + "RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version",
    ],
)
def test_a_driver_beyond_the_tables_gets_no_older_package_or_driver(log: str) -> None:
    found = explain_text(log.encode(), load_catalog()).diagnoses[0]
    assert found.cause == "env.driver-too-old"
    assert len(found.fixes) == 1
    assert "no data on a driver this new" in found.fixes[0].do


def test_the_last_pytorch_for_a_gpu_is_the_last_whose_wheel_has_its_code() -> None:
    catalog = load_catalog()
    capabilities, releases = catalog.table("capability"), catalog.table("torch-cuda")
    assert capabilities
    assert releases
    built = [row for row in releases.rows if row.get("archs")]
    asked = [row for row in capabilities.rows if row.get("pip_torch") and version_key(str(row["capability"])) >= (5, 0)]
    assert len(asked) >= 5
    for gpu in asked:
        major, minor = version_key(str(gpu["capability"]))
        runs = {f"sm_{major}{lower}" for lower in range(minor + 1)}  # code of the same major, and no newer minor
        serving = [row for row in built if runs & set(str(row["archs"]).split())]
        assert (gpu["pip_torch"], gpu["pip_cuda"]) == (serving[-1]["torch"], serving[-1]["pip"]), gpu

"""The script that renews the version tables, on small pages written here in the form of the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests import scripts
from tests.scripts import ROOT

script = scripts.script("refresh_tables")

NOTES = """
<table><tr><th>CUDA Toolkit</th><th>Linux x86_64 Driver Version</th><th>Windows x86_64 Driver Version</th></tr>
<tr><td><p>CUDA 42.1 Update 1</p></td><td><p>&gt;=901.20.03</p></td><td><p>N/A</p></td></tr>
<tr><td><p>CUDA 42.1 GA</p></td><td><p>&gt;=901.10.01</p></td><td><p>N/A</p></td></tr>
<tr><td><p>CUDA 42.0 GA</p></td><td><p>&gt;= 895.02</p></td><td><p>&gt;=896.14</p></td></tr>
<tr><td>CUDA Runtime (cudart)</td><td>42.1.80</td><td>x86_64</td></tr></table>
"""

MATRIX = """
| PyTorch version | Python | C++ | Stable CUDA | Experimental CUDA | Stable ROCm |
| --- | --- | --- | --- | --- | --- |
| 9.2 | >=3.20, <=3.24, (3.24t experimental) | C++20 | CUDA 42.0 (CUDNN 19.2.1.7) (NCCL 3.1.4), CUDA 41.5 (CUDNN 19.2.1.7) | CUDA 42.1 (CUDNN 19.4.0.1) | ROCm 9 |
| 9.1 | >=3.20, <=3.23 | C++20 | CUDA 41.5, CUDNN 18.1.0.2 | -- | ROCm 9 |
| 1.12 | >=3.7, <=3.10 | C++14 | CUDA 11.3, CUDNN 8.3.2.44 | CUDA 11.6, CUDNN 8.3.2.44 | ROCm 5.0 |

| CUDA | architectures | notes |
| --- | --- | --- |
| 42.0 | Somewhere(9.9) | |
"""

BUILDS = """
#### CPU
<table><tr><th>Version</th><th>Python version</th><th>Compiler</th><th>Build tools</th></tr>
<tr><td>tensorflow-8.1.0</td><td>3.20-3.24</td><td>Clang 31</td><td>Bazel 9</td></tr></table>
#### GPU
<table><tr><th>Version</th><th>Python version</th><th>Compiler</th><th>Build tools</th><th>cuDNN</th><th>CUDA</th></tr>
<tr><td>tensorflow-8.1.0</td><td>3.20-3.24</td><td>Clang 31</td><td>Bazel 9</td><td>19.2</td><td>42.0</td></tr>
<tr><td>tensorflow_gpu-1.7.0</td><td>2.7, 3.3-3.6</td><td>GCC 4.8</td><td>Bazel 0.9</td><td>7</td><td>9</td></tr></table>
### macOS
<table><tr><td>tensorflow_gpu-1.1.0</td><td>2.7, 3.3-3.6</td><td>Clang</td><td>Bazel</td><td>5.1</td><td>8</td></tr></table>
"""

WHEELS = """
[{"assets": [{"name": "flash_attn-2.9.1+cu12torch9.2cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"},
             {"name": "flash_attn-2.9.1+cu13torch9.2cxx11abiFALSE-cp310-cp310-linux_x86_64.whl"},
             {"name": "flash_attn_3-3.0+cu13torch9.2cxx11abiTRUE-cp310-cp310-linux_x86_64.whl"}]},
 {"assets": [{"name": "flash_attn-2.9.0+cu12torch9.2cxx11abiTRUE-cp39-cp39-linux_x86_64.whl"},
             {"name": "flash_attn-2.9.0+cu12torch9.1cxx11abiTRUE-cp39-cp39-linux_x86_64.whl"}]}]
"""

BOUNDS = """
LOWEST = (5, 0, 0)
CUDA_GCC_VERSIONS: VersionMap = {
    "41.5": (LOWEST, (20, 0)),
    '42.0': ((6, 0, 0), (22, 0)),
}
CUDA_CLANG_VERSIONS: VersionMap = {
    "42.0": (LOWEST, (31, 0)),
}
"""

GPUS = """
<table><tr><th>Compute Capability</th><th>Data Center</th><th>Workstation/Consumer</th></tr>
<tr><td>42.0</td><td>NVIDIA Z900 (a note)<br>NVIDIA Z910</td><td>GeForce ZTX 1</td></tr>
<tr><td>41.0</td><td></td><td>Tesla Y1</td></tr></table>
"""


def test_release_notes_give_the_first_driver_of_each_cuda() -> None:
    assert script.parse_cuda_notes(NOTES) == [
        {"cuda": "42.1", "driver": "901.10.01"},
        {"cuda": "42.0", "driver": "895.02", "windows": "896.14"},
    ]


def test_torch_matrix_gives_builds_of_both_columns() -> None:
    assert script.parse_torch_matrix(MATRIX) == [
        {"torch": "9.2", "builds": "cu415, cu420, cu421"},
        {"torch": "9.1", "builds": "cu415"},
    ]


def test_tensorflow_rows_are_those_of_linux_gpu() -> None:
    new, old = script.parse_tensorflow_builds(BUILDS)
    assert new == {
        "tensorflow": "8.1",
        "cuda": "42.0",
        "cudnn": "19.2",
        "python": "3.20 to 3.24",
        "compiler": "Clang 31",
    }
    assert (old["tensorflow"], old["cuda"], old["python"]) == ("1.7", "9.0", "3.3 to 3.6")


def test_flash_attention_rows_are_the_newest_wheels_of_each_pytorch() -> None:
    assert script.parse_flash_attn_wheels(WHEELS) == [
        {"torch": "9.1", "flash_attn": "2.9.0", "cuda": "12", "python": "3.9"},
        {"torch": "9.2", "flash_attn": "2.9.1", "cuda": "12 or 13", "python": "3.10 to 3.12"},
    ]


def test_gcc_bounds_exclude_the_upper_one() -> None:
    assert script.parse_gcc_bounds(BOUNDS) == [{"cuda": "41.5", "gcc": "19"}, {"cuda": "42.0", "gcc": "21"}]
    assert script.parse_gcc_bounds("nothing") == []


def test_gpus_have_the_names_that_drivers_give() -> None:
    assert [(row["gpu"], row["capability"]) for row in script.parse_gpu_page(GPUS)] == [
        ("NVIDIA Z900", "42.0"),
        ("NVIDIA Z910", "42.0"),
        ("NVIDIA GeForce ZTX 1", "42.0"),
        ("Tesla Y1", "41.0"),
    ]


def test_merge_changes_adds_in_order_and_keeps_what_the_page_lacks() -> None:
    old = [{"v": "1.0", "x": "a", "own": "kept"}, {"v": "2.0", "x": "e"}]
    new = [{"v": "3.0", "x": "d"}, {"v": "1.5", "x": "c"}, {"v": "1.0", "x": "b"}]
    assert script.merge(old, new, "v") == [
        {"v": "1.0", "x": "b", "own": "kept"},
        {"v": "1.5", "x": "c"},
        {"v": "2.0", "x": "e"},
        {"v": "3.0", "x": "d"},
    ]


def test_merge_gives_what_is_said_of_a_minor_release_to_all_its_releases() -> None:
    old = [{"v": "2.9.0"}, {"v": "2.9.1"}, {"v": "2.90.0"}]
    assert script.merge(old, [{"v": "2.9", "x": "a"}], "v") == [
        {"v": "2.9.0", "x": "a"},
        {"v": "2.9.1", "x": "a"},
        {"v": "2.90.0"},
    ]


def test_fresh_rows_keep_the_columns_that_no_package_gives() -> None:
    made = script.PackageTable("t", lambda _: [], carried=("by_hand",), same_column="cuda")
    old = [{"v": "0.9", "x": "o"}, {"v": "1.0", "cuda": "12", "by_hand": "a"}, {"v": "1.1.0", "by_hand": "b"}]
    fresh = [{"v": "1.0.0", "cuda": "12", "x": "n"}, {"v": "1.1.0", "cuda": "13"}, {"v": "1.2.0", "cuda": "14"}]
    assert script.regenerate(old, fresh, "v", made) == [
        {"v": "0.9", "x": "o"},
        {"v": "1.0.0", "cuda": "12", "x": "n", "by_hand": "a"},
        {"v": "1.1.0", "cuda": "13", "by_hand": "b"},
        {"v": "1.2.0", "cuda": "14"},
    ]


def test_old_tables_are_named(tmp_path: Path) -> None:
    for name, dated in (("old", "2030-01-01"), ("new", "2030-02-15")):
        (tmp_path / f"{name}.yaml").write_text(
            f"title: A\ndated: {dated}\nsource: b\ncolumns: {{v: version}}\nrows: []\n"
        )
    said: list[str] = []
    script.report_old_tables(tmp_path, "2030-03-12", said.append)
    assert [line.split(":")[0] for line in said] == ["old"]


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    tables, pages = tmp_path / "tables", tmp_path / "pages"
    tables.mkdir()
    pages.mkdir()
    for name in {source.table for source in script.SOURCES}:
        (tables / f"{name}.yaml").write_text((ROOT / "rules/_tables" / f"{name}.yaml").read_text("utf-8"), "utf-8")
    for name, text in {
        "cuda-release-notes.html": NOTES,
        "pytorch-release.md": MATRIX,
        "tensorflow-source.md": BUILDS,
        "flash-attention-releases.json": WHEELS,
        "cpp-extension.py.txt": BOUNDS,
        "cuda-gpus.html": GPUS,
    }.items():
        (pages / name).write_text(text, "utf-8")
    return tables, pages


def test_files_are_rewritten_and_a_second_run_finds_nothing(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    tables, pages = places
    path = tables / "torch-cuda.yaml"
    before = path.read_text("utf-8")
    assert script.main(["--check", "--from", str(pages), "--tables", str(tables)]) == 0
    assert path.read_text("utf-8") == before
    assert "'torch': '9.2'" in capsys.readouterr().out
    assert script.main(["--from", str(pages), "--tables", str(tables)]) == 0
    after = yaml.safe_load(path.read_text("utf-8"))
    assert after["columns"] == yaml.safe_load(before)["columns"]
    assert after["rows"][-1] == {"torch": "9.2", "builds": "cu415, cu420, cu421"}
    assert after["known_until"] == {"torch": "9.2"}
    assert after["rows"][:5] == yaml.safe_load(before)["rows"][:5]
    assert path.read_text("utf-8").split("dated:")[0] == before.split("dated:")[0]
    capsys.readouterr()
    assert script.main(["--from", str(pages), "--tables", str(tables)]) == 0
    assert "+ " not in capsys.readouterr().out


def test_rewriting_the_shipped_tables_changes_no_value() -> None:
    for name in {source.table for source in script.SOURCES} | {made.table for made in script.PACKAGE_TABLES}:
        text = (ROOT / "rules/_tables" / f"{name}.yaml").read_text("utf-8")
        again = script.write_rows(text, script.read_rows(text), "2030-01-01")
        assert yaml.safe_load(again)["rows"] == yaml.safe_load(text)["rows"]


def test_a_page_that_changed_its_form_is_told(places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    tables, pages = places
    (pages / "pytorch-release.md").write_text("moved", "utf-8")
    assert script.main(["--check", "--from", str(pages), "--tables", str(tables)]) == 1
    assert "has no data" in capsys.readouterr().out


def test_list_names_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--list"]) == 0
    out = capsys.readouterr().out
    for path in (ROOT / "rules/_tables").glob("*.yaml"):
        assert f"| {path.stem} |" in out

"""What is shipped: the same bytes for the same source, the right files, recipes that agree with pyproject.toml."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from logsense.util.version import __version__

pytestmark = pytest.mark.packaging

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOT_SOURCE = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", ".coverage*", "__pycache__", "dist", "build", "site"
)


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Path]]:
    """Two builds, from copies in different folders, of different days, under different masks."""
    pytest.importorskip("hatchling")
    made = []
    for place, umask, day in (("one", 0o022, 0), ("another/folder", 0o077, 1_500_000_000)):
        root = tmp_path_factory.mktemp("build")
        source = root / place
        shutil.copytree(ROOT, source, ignore=NOT_SOURCE, symlinks=True)
        for path in source.rglob("*") if day else ():
            os.utime(path, (day, day), follow_symlinks=False)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(root / "out")],
            cwd=source, umask=umask, capture_output=True, check=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "TZ": "Asia/Tokyo" if day else "UTC"},
        )  # fmt: skip
        made.append({path.name: path for path in (root / "out").iterdir()})
    return made


@pytest.mark.slow
def test_two_builds_are_the_same(builds: list[dict[str, Path]]) -> None:
    assert len(builds[0]) == 2
    assert set(builds[0]) == set(builds[1])
    for name in builds[0]:
        assert builds[0][name].read_bytes() == builds[1][name].read_bytes(), name


@pytest.mark.slow
def test_the_wheel_holds_what_is_needed_and_nothing_else(builds: list[dict[str, Path]]) -> None:
    wheel = next(path for name, path in builds[0].items() if name.endswith(".whl"))
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "logsense", f"logsense_ml-{__version__}.data", f"logsense_ml-{__version__}.dist-info",
    }  # fmt: skip
    inside = {name for name in names if name.startswith("logsense/")}
    code = {path.relative_to(ROOT).as_posix() for path in (ROOT / "logsense").rglob("*.py")}
    data = {f"logsense/_data/{path.relative_to(ROOT).as_posix()}" for part in ("rules", "corpus")
            for path in (ROOT / part).rglob("*.yaml")}  # fmt: skip
    assert code | data | {"logsense/py.typed"} <= inside
    assert {Path(name).suffix for name in inside} <= {".py", ".yaml", ".typed", ".css", ".js", ".html", ".svg", ".bin"}
    assert f"logsense_ml-{__version__}.data/data/share/man/man1/logsense.1" in names


@pytest.mark.slow
@pytest.mark.parametrize("damaged", [False, True])
def test_a_wheel_has_nothing_to_compile(builds: list[dict[str, Path]], tmp_path: Path, damaged: bool) -> None:
    from logsense.catalog.load import packed_catalog

    wheel = next(path for name, path in builds[0].items() if name.endswith(".whl"))
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    shipped = tmp_path / "installed" / "logsense" / "_data" / "catalog.bin"
    assert shipped.read_bytes() == packed_catalog()
    if damaged:
        shipped.write_bytes(b"?" + shipped.read_bytes()[1:])
    cache = tmp_path / "cache"
    surroundings = {**os.environ, "PYTHONPATH": str(tmp_path / "installed"), "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-m", "logsense", "RuntimeError: CUDA error: out of memory"],
        env=surroundings, cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "did not fit" in done.stdout or "memory" in done.stdout
    assert bool(list(cache.glob("logsense/catalog-*.bin"))) is damaged


@pytest.mark.slow
def test_the_source_archive_holds_all_that_is_source(builds: list[dict[str, Path]]) -> None:
    archive = next(path for name, path in builds[0].items() if name.endswith(".tar.gz"))
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
    names = {member.name.partition("/")[2] for member in members}
    for wanted in ("README.md", "LICENSE", "SECURITY.md", "pyproject.toml", "packaging/Containerfile", "Makefile"):
        assert wanted in names
    assert {name.split("/")[0] for name in names} >= {"corpus", "docs", "logsense", "rules", "scripts", "tests"}
    assert not [name for name in names if re.search(r"__pycache__|\.pyc$|\.git/", name)]
    assert all((member.uid, member.gid, member.uname) == (0, 0, "") for member in members)


def test_the_conda_recipe_asks_for_the_same() -> None:
    text = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    recipe = yaml.safe_load(text)
    assert recipe["context"]["version"] == __version__
    asked = dict(one.split(" ", 1) for one in recipe["requirements"]["run"])
    specified = re.compile(r"([\w-]+)([^;]*)")
    needed = {name: rest for one in PROJECT["dependencies"] for name, rest in specified.findall(one.partition(";")[0])}
    assert asked.pop("python") == PROJECT["requires-python"]
    assert needed.pop("hyperscan")  # no package there
    assert asked == needed


def test_the_container_is_not_root_and_installs_what_there_is() -> None:
    text = (ROOT / "packaging" / "Containerfile").read_text("utf-8")
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", text, re.MULTILINE)
    for extra in re.findall(r"logsense-ml\[(\w+)\]|/source\[(\w+)\]", text):
        assert "".join(extra) in PROJECT["optional-dependencies"]
    python = re.search(r"python:(3\.\d+)-slim", text)
    assert python
    assert f"Programming Language :: Python :: {python[1]}" in PROJECT["classifiers"]

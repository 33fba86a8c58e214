"""The bill of materials and the look at advisories."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from types import ModuleType

import pytest

from tests import scripts
from tests.scripts import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCRIPT = ROOT / "scripts" / "supply_chain.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return scripts.script("supply_chain")


def test_an_advisory_is_a_failure(script: ModuleType) -> None:
    good = {"name": "rich", "version": "15.0.0", "vulns": []}
    bad = {"name": "pyyaml", "version": "5.3", "vulns": [{"id": "PYSEC-2021-142", "fix_versions": ["5.4"]}]}
    unknown = {"name": "own", "skip_reason": "not found"}
    lines, status = script.summarize(json.dumps({"dependencies": [good, bad, unknown], "fixes": []}))
    assert lines == [
        "pyyaml 5.3: PYSEC-2021-142, fixed in 5.4",
        "2 packages checked, 1 unknown, 1 advisories",
    ]
    assert status == 1
    assert script.summarize(json.dumps({"dependencies": [good], "fixes": []}))[1] == 0


@pytest.mark.parametrize("printed", ["", "no JSON", "[]", '{"dependencies": [{"name": "x", "skip_reason": "y"}]}'])
def test_where_no_advisories_can_be_had_one_line_says_so(script: ModuleType, printed: str) -> None:
    lines, status = script.summarize(printed)
    assert status == 0
    assert len(lines) == 1
    assert lines[0].startswith("skipped: ")


def test_the_bill_names_us_once_and_with_our_version(script: ModuleType) -> None:
    bill = {
        "metadata": {"component": {"name": "logsense-ml", "type": "application"}},
        "components": [{"name": "logsense-ml"}, {"name": "rich"}],
    }
    made = script.with_version(bill, "1.2.3")
    assert made["metadata"]["component"]["purl"] == "pkg:pypi/logsense-ml@1.2.3"
    assert made["components"] == [{"name": "rich"}]


def test_without_the_tools() -> None:
    code = (
        "import sys, importlib.util as u, runpy; u.find_spec = lambda name: None; "
        f"sys.argv = ['x', sys.argv[1]]; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    )
    for command, status in (("audit", 0), ("sbom", 2)):
        done = subprocess.run([sys.executable, "-c", code, command], capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert done.stderr.count("\n") == 1
        assert "logsense-ml[release]" in done.stderr


def test_every_dependency_has_bounds() -> None:
    """What runs in production has a least and a next major version; `dev` takes what is newest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert len(project["dependencies"]) < 12
    extras = project["optional-dependencies"]
    for one in [*project["dependencies"], *(one for name in extras for one in extras[name] if name != "dev")]:
        assert re.match(r"[\w.-]+(\[\w+\])?>=[\d.]+,<\d+", one), one

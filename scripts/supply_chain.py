"""List what a release depends on (a CycloneDX bill of materials), and check it for security advisories.

python scripts/supply_chain.py sbom [--output FILE]    write the bill of materials of this checkout
python scripts/supply_chain.py audit                   exit with status 1 if there is an advisory

Both inspect a fresh environment that holds only this checkout. The extra `release` installs the tools. If they or the
advisories are unavailable, `audit` says so in one line and exits with 0.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAME = "logsense-ml"
FOUND, FAILED = 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Run one of the two commands; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("sbom").add_argument("--output", type=Path, default=ROOT / "dist" / f"{NAME}.cdx.json")
    commands.add_parser("audit")
    chosen = parser.parse_args(arguments)
    tool = "cyclonedx_py" if chosen.command == "sbom" else "pip_audit"
    if importlib.util.find_spec(tool) is None:
        print(f"skipped: {tool} is not installed (pip install '{NAME}[release]')", file=sys.stderr)
        return 0 if chosen.command == "audit" else FAILED
    with tempfile.TemporaryDirectory() as folder:
        try:
            python = _fresh_environment(Path(folder))
        except subprocess.CalledProcessError as error:
            print(f"skipped: installing failed: {_last_line(error.stderr)}", file=sys.stderr)
            return 0 if chosen.command == "audit" else FAILED
        return _sbom(python, chosen.output) if chosen.command == "sbom" else _audit(python)


def summarize(audit: str) -> tuple[list[str], int]:
    """Return lines on the JSON that pip-audit printed, and the exit status."""
    try:
        packages = json.loads(audit)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return ["skipped: the advisories are unavailable"], 0
    checked = [one for one in packages if "vulns" in one]
    known = [(one, advisory) for one in checked for advisory in one["vulns"]]
    if not checked:
        return ["skipped: no advisory database knows these packages"], 0
    lines = [
        f"{one['name']} {one['version']}: {advisory['id']}, fixed in {', '.join(advisory['fix_versions']) or 'none'}"
        for one, advisory in known
    ]
    lines.append(f"{len(checked)} packages checked, {len(packages) - len(checked)} unknown, {len(known)} advisories")
    return lines, FOUND if known else 0


def with_version(bill: dict[str, object], version: str) -> dict[str, object]:
    """Return the bill of materials with our version, which the tool can't read, and without our second entry."""
    metadata = bill["metadata"]
    assert isinstance(metadata, dict)
    metadata["component"] = {**metadata["component"], "version": version, "purl": f"pkg:pypi/{NAME}@{version}"}
    components = bill.get("components")
    assert isinstance(components, list)
    return {**bill, "components": [one for one in components if one["name"] != NAME]}


def _fresh_environment(folder: Path) -> Path:
    """Return the Python of an environment in `folder` with this checkout and its dependencies, without pip."""
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    _run([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", str(ROOT)])
    return python


def _sbom(python: Path, output: Path) -> int:
    options = ["--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible", "--of", "JSON"]
    bill = json.loads(_run([sys.executable, "-m", "cyclonedx_py", "environment", str(python), *options]).stdout)
    version = _run([str(python), "-c", "from logsense.util.version import __version__ as v; print(v)"]).stdout.strip()
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(with_version(bill, version), indent=1) + "\n", "utf-8")
    print(f"wrote {output}: {len(bill['components'])} components")
    return 0


def _audit(python: Path) -> int:
    place = _run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).stdout.strip()
    # It exits with 1 both for advisories and for errors; the output distinguishes them.
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--path", place, "--format", "json", "--progress-spinner", "off"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines, status = summarize(done.stdout)
    print("\n".join(lines))
    return status


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True)


def _last_line(text: str) -> str:
    return next(reversed(text.strip().splitlines()), "no reason given")


if __name__ == "__main__":
    sys.exit(main())

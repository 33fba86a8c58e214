"""Read releases, requirements and single files of wheels from a package index, without downloading whole wheels.

Works with any index with the JSON form of the simple API (PEP 691). A wheel's metadata comes from the index (PEP 658),
or from the wheel itself by byte ranges.
"""

from __future__ import annotations

import email.parser
import io
import json
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cached_property

from packaging.requirements import Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

PYPI = "https://pypi.org/simple"
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
USUAL_PYTHON = (3, 11)
LINUX = ("manylinux", "linux_x86_64")
TAIL_BYTES = 1 << 21  # hold the list of files at the end of a large wheel
BLOCK_BYTES = 1 << 22
PRERELEASE = re.compile(r"(?:\.0)*\.?(?:dev|rc)\d*$")  # "<5.0.0dev" means "<5"

Fetch = Callable[[str, Mapping[str, str]], tuple[bytes, Mapping[str, str]]]


def fetch(url: str, headers: Mapping[str, str]) -> tuple[bytes, Mapping[str, str]]:
    """Return the content of `url` and the headers of the response."""
    request = urllib.request.Request(url, headers={"User-Agent": "logsense", **headers})  # noqa: S310
    with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310
        return response.read(), response.headers


class _Ranges(io.RawIOBase):
    """A remote file that is read by byte ranges."""

    def __init__(self, url: str, get: Fetch) -> None:
        super().__init__()
        self._url, self._get, self._place = url, get, 0
        self._tail, headers = get(url, {"Range": f"bytes=-{TAIL_BYTES}"})
        total = headers.get("Content-Range", "").rpartition("/")[2]
        self._size = int(total) if total.isdigit() else len(self._tail)

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._place = (0, self._place, self._size)[whence] + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        end = min(self._place + len(buffer), self._size)
        in_tail = self._place - (self._size - len(self._tail))
        if end <= self._place:
            data = b""
        elif in_tail >= 0:
            data = self._tail[in_tail : in_tail + end - self._place]
        else:
            data, _ = self._get(self._url, {"Range": f"bytes={self._place}-{end - 1}"})
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


@dataclass(frozen=True)
class Wheel:
    """A wheel on the index."""

    filename: str
    url: str
    requires_python: str
    released: str
    get: Fetch

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        raw = _Ranges(self.url, self.get)
        return zipfile.ZipFile(io.BufferedReader(raw, BLOCK_BYTES))

    def names(self) -> list[str]:
        """Return the files in it."""
        return self._archive.namelist()

    def read(self, name: str) -> bytes:
        """Return the content of a file in it; b"" if there is none."""
        return self._archive.read(name) if name in self.names() else b""

    @cached_property
    def metadata(self) -> Message:
        """Return its metadata."""
        try:
            data, _ = self.get(f"{self.url}.metadata", {})
        except urllib.error.HTTPError:
            data = self.read(next(name for name in self.names() if name.endswith(".dist-info/METADATA")))
        return email.parser.BytesParser().parsebytes(data)

    def requirements(self, extra: str = "") -> dict[str, str]:
        """Return what it requires on Linux with this extra, as {project: versions}."""
        python = ".".join(map(str, self.pythons[-1] if self.pythons else USUAL_PYTHON))
        machine = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"}
        where = {**machine, "python_version": python, "python_full_version": f"{python}.0", "extra": extra}
        found = {}
        for text in self.metadata.get_all("Requires-Dist", []):
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate(where):
                found[requirement.name.lower().replace("_", "-")] = bounds(requirement)
        return found

    @property
    def pythons(self) -> list[tuple[int, int]]:
        """Return the CPython versions in its name."""
        tags = parse_wheel_filename(self.filename)[3]
        plain = (tag.interpreter for tag in tags if tag.abi != "abi3" and not tag.abi.endswith("t"))
        return [(int(name[2]), int(name[3:])) for name in plain if name.startswith("cp3") and name[3:].isdigit()]


@dataclass(frozen=True)
class Release:
    """A release with its wheels for Linux on x86, or for every machine."""

    version: Version
    wheels: tuple[Wheel, ...]

    @property
    def wheel(self) -> Wheel:
        """Return the wheel for the usual Python, on which all conditions on its version hold, or else the newest."""
        return next((wheel for wheel in self.wheels if USUAL_PYTHON in wheel.pythons), self.wheels[-1])

    @property
    def released(self) -> str:
        """Return the day of its first wheel."""
        return min(wheel.released for wheel in self.wheels)

    @property
    def python(self) -> str:
        """Return the CPython versions that it has wheels for, in words."""
        known = sorted({version for wheel in self.wheels for version in wheel.pythons if version[0] == 3})
        if not known:
            return ""
        first, last = (".".join(map(str, version)) for version in (known[0], known[-1]))
        return first if first == last else f"{first} to {last}"


class Index:
    """A package index."""

    def __init__(self, url: str = PYPI, get: Fetch = fetch) -> None:
        self._url, self._get = url.rstrip("/"), get

    def page(self, project: str) -> str:
        """Return the URL of a project's page."""
        return f"{self._url}/{project}/"

    def releases(self, project: str) -> Iterator[Release]:
        """Yield the final releases of a project that have wheels for Linux, oldest first."""
        data, _ = self._get(self.page(project), {"Accept": SIMPLE_JSON})
        found: dict[Version, list[Wheel]] = {}
        for entry in json.loads(data)["files"]:
            try:
                _, version, _, tags = parse_wheel_filename(entry["filename"])
            except InvalidWheelFilename:
                continue
            fits = any(tag.platform == "any" or _is_linux(tag.platform) for tag in tags)
            if fits and not version.is_prerelease and not version.local and not entry.get("yanked"):
                wheel = Wheel(
                    entry["filename"],
                    entry["url"],
                    entry.get("requires-python") or "",
                    entry.get("upload-time", "")[:10],
                    self._get,
                )
                found.setdefault(version, []).append(wheel)
        for version in sorted(found):
            yield Release(version, tuple(sorted(found[version], key=lambda wheel: wheel.pythons or [(0, 0)])))


def _is_linux(platform: str) -> bool:
    return platform.startswith(LINUX) and platform.endswith("x86_64")


def bounds(requirement: Requirement) -> str:
    """Return the versions that a requirement accepts, lowest bound first, without exclusions of single versions."""
    kept = [one for one in requirement.specifier if one.operator != "!="]
    order = (">", ">=", "==", "~=", "<", "<=")
    kept.sort(key=lambda one: order.index(one.operator))
    return ",".join(one.operator + PRERELEASE.sub("", one.version) for one in kept)

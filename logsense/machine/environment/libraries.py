"""Find every copy of the main CUDA libraries that the loader could use, in its order.

The order is that of https://man7.org/linux/man-pages/man8/ld.so.8.html: LD_PRELOAD, the RPATH of the importing library
(by which wheels find sibling packages), LD_LIBRARY_PATH, the loader's cache, the default folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from logsense.machine.programs import output_of
from logsense.model.machine import Library, Package
from logsense.util.files import listed

FAMILIES = ("libcudart", "libcublas", "libcudnn", "libnccl")
DEFAULT_FOLDERS = (
    *("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"),
    *("/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/local/cuda/lib64", "/usr/lib/wsl/lib"),
)
LIMIT_S = 3.0
_NAME = re.compile(rf"({'|'.join(map(re.escape, FAMILIES))})\.so((?:\.\d+)*)$")
# The wheel that contains a family, without the prefix "nvidia-" and the suffix "-cu12".
_WHEEL = {"libcudart": "cuda-runtime", "libcublas": "cublas", "libcudnn": "cudnn", "libnccl": "nccl"}


def find_libraries(
    path: Sequence[str], packages: Mapping[str, Package], prefix: str, environ: Mapping[str, str]
) -> tuple[Library, ...]:
    """Return all copies, family by family; a copy found in several ways is listed once."""
    found: dict[str, Library] = {}
    for origin, folder in _folders(path, prefix, environ):
        for name in listed(folder):
            _add(found, os.path.join(folder, name), origin, packages)
    for file in _cached():
        _add(found, file, "the loader's cache", packages)
    for folder in DEFAULT_FOLDERS:
        for name in listed(folder):
            _add(found, os.path.join(folder, name), "the default folders", packages)
    order = {family: number for number, family in enumerate(FAMILIES)}
    return tuple(sorted(found.values(), key=lambda one: order[one.family]))


def _folders(path: Sequence[str], prefix: str, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for file in re.split(r"[ :]+", environ.get("LD_PRELOAD", "")):
        if file:
            yield "LD_PRELOAD", os.path.dirname(file)
    for folder in path:
        nvidia = os.path.join(folder, "nvidia")
        for name in listed(nvidia):
            yield f"the wheel {name}", os.path.join(nvidia, name, "lib")
        yield "PyTorch's own folder", os.path.join(folder, "torch", "lib")
    for folder in environ.get("LD_LIBRARY_PATH", "").split(":"):
        if folder:
            yield "LD_LIBRARY_PATH", folder
    if prefix:
        yield "the environment's lib folder", os.path.join(prefix, "lib")


def _add(found: dict[str, Library], file: str, origin: str, packages: Mapping[str, Package]) -> None:
    match = _NAME.match(os.path.basename(file))
    if not match:
        return
    real = os.path.realpath(file)
    if real in found or not os.path.exists(real):
        return
    inner = _NAME.match(os.path.basename(real))
    version = (inner or match)[2].lstrip(".")
    if version.count(".") == 0 and f"{os.sep}nvidia{os.sep}" in real:
        version = _wheel_version(match[1], packages) or version
    found[real] = Library(match[1], real, version or None, origin)


def _wheel_version(family: str, packages: Mapping[str, Package]) -> str | None:
    start = f"nvidia-{_WHEEL.get(family, '?')}"
    return next((one.version for name, one in sorted(packages.items()) if name.startswith(start)), None)


def _cached() -> Iterator[str]:
    tools = ("/sbin/ldconfig", "/usr/sbin/ldconfig", "ldconfig")
    found = next(filter(None, (output_of([tool, "-p"], LIMIT_S) for tool in tools)), b"")
    for line in found.decode("utf-8", "replace").splitlines():
        _, arrow, file = line.partition(" => ")
        if arrow:
            yield file.strip()

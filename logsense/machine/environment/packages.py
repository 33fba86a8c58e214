"""Read installed distributions, and what frameworks were built for, from their files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from logsense.model.machine import Build, Package
from logsense.util.files import listed, text_of

_DIST = re.compile(r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info$")
_CUDNN_FILE = re.compile(r"libcudnn(?:_graph|_ops_infer)?\.so\.(\d[\d.]*)$")


def read_packages(path: Sequence[str]) -> dict[str, Package]:
    """Return the distributions on a module path, by normalized name (PEP 503); the first copy counts."""
    found: dict[str, Package] = {}
    for folder in path:
        for entry in listed(folder):
            match = _DIST.match(entry)
            if not match:
                continue
            name, version = re.sub(r"[-_.]+", "-", match["name"]).lower(), match["version"].replace("_", "+")
            before = found.get(name)
            if before is None:
                found[name] = Package(name, version, folder)
            elif before.folder != folder:
                found[name] = before._replace(hidden=(*before.hidden, f"{version} in {folder}"))
    return found


def read_builds(path: Sequence[str], packages: Mapping[str, Package]) -> tuple[Build, ...]:
    """Return what PyTorch, TensorFlow and JAX on a module path were built for."""
    found = [_torch(path, packages), _tensorflow(path, packages), _jax(packages)]
    return tuple(build for build in found if build)


def _torch(path: Sequence[str], packages: Mapping[str, Package]) -> Build | None:
    """Read version and CUDA of PyTorch from torch/version.py."""
    file = _find(path, "torch/version.py")
    if file is None:
        return None
    text = text_of(file)
    version = _first(r"__version__ *(?::[^=]+)?= *['\"]([^'\"]+)", text) or ""
    cuda = _first(r"^cuda *(?::[^=]+)?= *['\"]([\d.]+)", text)
    hip = _first(r"^hip *(?::[^=]+)?= *['\"]([\d.]+)", text)
    cudnn = _cudnn_wheel(packages) or _cudnn_in(os.path.join(os.path.dirname(file), "lib"))
    return Build("torch", version, cuda, cudnn if cuda else None, cpu_only=cuda is None and hip is None)


def _tensorflow(path: Sequence[str], packages: Mapping[str, Package]) -> Build | None:
    """Read what TensorFlow was built for from tensorflow/python/platform/build_info.py."""
    file = _find(path, "tensorflow/python/platform/build_info.py")
    if file is None:
        return None
    text = text_of(file)
    names = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tf-nightly", "intel-tensorflow")
    version = next((packages[name].version for name in names if name in packages), "")
    cuda = _first(r"['\"]cuda_version['\"] *[,:] *['\"]([\d.]+)", text)
    cudnn = _first(r"['\"]cudnn_version['\"] *[,:] *['\"]([\d.]+)", text)
    with_cuda = _first(r"['\"]is_cuda_build['\"] *[,:] *(True|False)", text)
    return Build("tensorflow", version, cuda, cudnn, cpu_only=with_cuda == "False")


def _jax(packages: Mapping[str, Package]) -> Build | None:
    jax = packages.get("jaxlib")
    if jax is None:
        return None
    plugin = next((name for name in sorted(packages) if re.match(r"jax-cuda\d+-plugin$", name)), None)
    tag = _first(r"\+cuda(\d+)", jax.version)
    cuda = _first(r"cuda(\d+)", plugin or "") or tag
    return Build("jax", jax.version, cuda, _cudnn_wheel(packages) if cuda else None, cpu_only=cuda is None)


def _cudnn_wheel(packages: Mapping[str, Package]) -> str | None:
    names = (name for name in sorted(packages, reverse=True) if name.startswith("nvidia-cudnn"))
    return next((packages[name].version for name in names), None)


def _cudnn_in(folder: str) -> str | None:
    found = [match[1] for name in listed(folder) if (match := _CUDNN_FILE.search(name))]
    return max(found, key=len, default=None)


def _find(path: Sequence[str], name: str) -> str | None:
    return next((file for folder in path if os.path.isfile(file := os.path.join(folder, name))), None)


def _first(pattern: str, text: str) -> str | None:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else None

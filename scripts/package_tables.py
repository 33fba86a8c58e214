"""Generate the rows of the version tables from the packages' own metadata, a row for each release."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from package_index import Index, Release, Wheel
from packaging.specifiers import SpecifierSet
from packaging.version import Version

Row = dict[str, str]

AT_ONCE = 4
ARCHITECTURES = re.compile(rb"sm_\d+[af]?(?: (?:sm|compute)_\d+[af]?)+")
BITSANDBYTES_LIBRARY = re.compile(r"libbitsandbytes_cuda(\d+)\.so$")
WITH_CUDA_EXTRAS = Version("0.4.26")  # the first JAX whose plugins declare their requirements


@dataclass(frozen=True)
class PackageTable:
    """A table that is generated from packages.

    `carried` are columns that no package provides: they keep the values of rows with the same `alike`, or else of the
    same minor release.
    """

    table: str
    make: Callable[[Index], list[Row]]
    carried: tuple[str, ...] = ()
    same_column: str = ""


def _each(releases: Iterable[Release], row: Callable[[Release], Row]) -> list[Row]:
    """Return the rows of those releases that have one, reading several at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [one for one in pool.map(row, releases) if one]


def _from(project: str, release: Release, **columns: str) -> Row:
    """Return a row of a release with its day and source."""
    source = f"https://pypi.org/project/{project}/{release.version}/"
    return {name: value for name, value in columns.items() if value} | {"released": release.released, "source": source}


def _pinned(needs: dict[str, str], beginning: str, parts: int = 3) -> str:
    """Return the exact version of the first requirement that starts with `beginning`, with so many parts."""
    for name, versions in needs.items():
        if name.startswith(beginning) and versions.startswith(("==", "~=", ">=")):
            return ".".join(versions.split(",")[0][2:].split(".")[:parts])
    return ""


def torch_builds(index: Index) -> list[Row]:
    """Return CUDA, cuDNN, NCCL, Python and GPU architectures of the PyTorch from a plain `pip install` on Linux."""

    def row(release: Release) -> Row:
        wheel = release.wheel
        cuda = re.search(rb"^cuda\b.*'(\d+\.\d+)", wheel.read("torch/version.py"), re.MULTILINE)
        found = ARCHITECTURES.findall(wheel.read("torch/lib/libtorch_python.so"))
        needs = wheel.requirements()
        return _from(
            "torch",
            release,
            torch=str(release.version),
            pip=cuda[1].decode() if cuda else "",
            cudnn=_pinned(needs, "nvidia-cudnn"),
            nccl=_pinned(needs, "nvidia-nccl"),
            python=release.python,
            archs=max(found, key=len).decode() if found else "",
        )

    return _each(index.releases("torch"), row)


def torch_triton(index: Index) -> list[Row]:
    """Return the Triton that each PyTorch requires."""

    def row(release: Release) -> Row:
        triton = _pinned(release.wheel.requirements(), "triton")
        return _from("torch", release, torch=str(release.version), triton=triton) if triton else {}

    return _each(index.releases("torch"), row)


def _accepts(versions: str, torch: Version) -> bool:
    """Return whether a requirement accepts this PyTorch; one without bounds does not count."""
    return versions != "" and torch in SpecifierSet(versions)


def _torch_requirements(index: Index, project: str) -> list[tuple[Release, str]]:
    """Return the releases of a project, newest first, each with its requirement on PyTorch."""
    releases = list(index.releases(project))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        required = list(pool.map(lambda release: release.wheel.requirements().get("torch", ""), releases))
    return list(zip(releases, required, strict=True))[::-1]


def _fitting(required: list[tuple[Release, str]], torch: Version) -> Release | None:
    return next((release for release, versions in required if _accepts(versions, torch)), None)


def torch_companions(index: Index) -> list[Row]:
    """Return the newest torchvision and torchaudio that accept each PyTorch."""
    vision, audio = _torch_requirements(index, "torchvision"), _torch_requirements(index, "torchaudio")
    rows = []
    for release in index.releases("torch"):
        with_vision, with_audio = _fitting(vision, release.version), _fitting(audio, release.version)
        row = _from(
            "torchvision",
            with_vision or release,
            torch=str(release.version),
            torchvision=str(with_vision.version) if with_vision else "",
            torchaudio=str(with_audio.version) if with_audio else "",
        )
        rows += [row] if with_vision else []
    return rows


def torch_xformers(index: Index) -> list[Row]:
    """Return the newest xFormers that accepts each PyTorch."""
    required = _torch_requirements(index, "xformers")
    found = ((release, _fitting(required, release.version)) for release in index.releases("torch"))
    return [
        _from("xformers", xformers, torch=str(torch.version), xformers=str(xformers.version))
        for torch, xformers in found
        if xformers
    ]


def vllm_torch(index: Index) -> list[Row]:
    """Return the PyTorch and transformers that each vLLM requires."""

    def row(release: Release) -> Row:
        needs = release.wheel.requirements()
        torch = needs.get("torch", "").removeprefix("==")
        transformers = needs.get("transformers", "")
        return _from("vllm", release, vllm=str(release.version), torch=torch, transformers=transformers)

    return _each(index.releases("vllm"), row)


def tensorflow_packages(index: Index) -> list[Row]:
    """Return Keras, NumPy and protobuf that each TensorFlow requires."""

    def row(release: Release) -> Row:
        needs = release.wheel.requirements()
        wanted = {name: f"{name}{needs[name]}" for name in ("keras", "numpy", "protobuf") if needs.get(name)}
        return _from("tensorflow", release, tensorflow=str(release.version), **wanted)

    return _each(index.releases("tensorflow"), row)


def jax_cuda(index: Index) -> list[Row]:
    """Return CUDA, cuDNN and Python of each jaxlib, from its plugins."""
    plugins = {major: {one.version: one for one in index.releases(f"jax-cuda{major}-plugin")} for major in ("12", "13")}
    jax = {one.version: one for one in index.releases("jax")}

    def row(release: Release) -> Row:
        if release.version < WITH_CUDA_EXTRAS:
            return {}
        here = {major: of[release.version] for major, of in plugins.items() if release.version in of}
        required = [plugin.wheel.requirements("with-cuda") for plugin in here.values()]
        required += (
            [jax[release.version].wheel.requirements("cuda12")] if release.version in jax else []
        )  # until 0.4.29
        cudnn = next((found for found in (_pinned(one, "nvidia-cudnn", 2) for one in required) if found), "")
        return _from(
            "jaxlib",
            release,
            jaxlib=str(release.version),
            cuda=" or ".join(here),
            cudnn=cudnn,
            python=release.python,
        )

    return _each(index.releases("jaxlib"), row)


def bitsandbytes_cuda(index: Index) -> list[Row]:
    """Return the first and last bitsandbytes with a library for each CUDA; no last if the newest has it."""
    releases = list(index.releases("bitsandbytes"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        held = list(pool.map(lambda one: set(_libraries(one.wheel)), releases))
    rows = []
    for tag in sorted(set().union(*held), key=int):
        having = [release for release, tags in zip(releases, held, strict=True) if tag in tags]
        last = "" if having[-1] is releases[-1] else str(having[-1].version)
        cuda = f"{tag[:-1]}.{tag[-1]}"
        rows.append(_from("bitsandbytes", having[0], tag=tag, cuda=cuda, since=str(having[0].version), last=last))
    return rows


def _libraries(wheel: Wheel) -> list[str]:
    return [found[1] for found in map(BITSANDBYTES_LIBRARY.search, wheel.names()) if found]


PACKAGE_TABLES = (
    PackageTable("torch-cuda", torch_builds, carried=("builds", "cudnn"), same_column="torch"),
    PackageTable("torch-triton", torch_triton),
    PackageTable("torch-torchvision", torch_companions),
    PackageTable("torch-xformers", torch_xformers),
    PackageTable("vllm-torch", vllm_torch),
    PackageTable("tensorflow-packages", tensorflow_packages),
    PackageTable("jax-cuda", jax_cuda, carried=("driver", "gpus"), same_column="cuda"),
    PackageTable("bitsandbytes-cuda", bitsandbytes_cuda),
)

"""Interpreters, packages and libraries, in made-up trees and in this environment."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

import pytest

from logsense.machine.environment.interpreter import find_interpreter, query_interpreter
from logsense.machine.environment.libraries import find_libraries
from logsense.machine.environment.packages import read_builds, read_packages
from logsense.machine.environment.read import environment_facts, read_environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
TORCH = """
from typing import Optional
__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']
__version__ = '{version}'
debug = False
cuda: Optional[str] = {cuda}
git_version = '0'
hip: Optional[str] = None
"""


def _torch(folder: Path, version: str = "2.5.1+cu124", cuda: str | None = "12.4") -> Path:
    (folder / "torch" / "lib").mkdir(parents=True, exist_ok=True)
    (folder / "torch" / "version.py").write_text(TORCH.format(version=version, cuda=repr(cuda)))
    (folder / f"torch-{version}.dist-info").mkdir()
    return folder


def _library(file: Path, *links: str, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text or "ELF")
    for link in links:
        (file.parent / link).symlink_to(file.name)
    return file


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def _script(file: Path, text: str) -> str:
    file.write_text(text)
    file.chmod(0o755)
    return str(file)


def test_the_interpreter_of_a_command(bin_folder: Path) -> None:
    python = _script(bin_folder / "python3.11", "#!/bin/sh\n")
    _script(bin_folder / "torchrun", f"#!{python}\nimport torch\n")
    _script(bin_folder / "accelerate", f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''\n")
    _script(bin_folder / "deepspeed", "#!/usr/bin/env python3.11\n")
    _script(bin_folder / "mpirun", "\x7fELF")
    environ = {"PATH": str(bin_folder)}
    for command in (
        ["python3.11", "train.py"],
        ["torchrun", "--nproc-per-node", "8", "train.py"],
        ["accelerate", "launch", "train.py"],
        ["deepspeed", "train.py"],
        ["mpirun", "-np", "4", "python3.11", "train.py"],
        [str(bin_folder / "torchrun")],
    ):
        assert find_interpreter(command, environ) == python
    assert find_interpreter(["nowhere"], environ) is None
    _script(bin_folder / "python3", "#!/bin/sh\n")
    assert find_interpreter([], environ) == str(bin_folder / "python3")


def test_asking_interpreters(tmp_path: Path, bin_folder: Path) -> None:
    found, why = query_interpreter(sys.executable)
    assert found
    assert not why
    assert found.version == ".".join(map(str, sys.version_info[:3]))
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    found, _ = query_interpreter(str(tmp_path / "venv" / "bin" / "python"))
    assert found
    assert found.kind == "venv"
    assert str(tmp_path / "venv") in found.prefix
    nothing, why = query_interpreter(_script(bin_folder / "python", "#!/bin/sh\necho rubbish\n"))
    assert nothing is None
    assert "can't be run" in why
    assert query_interpreter(str(tmp_path / "nowhere"))[0] is None


def test_packages_and_their_copies(tmp_path: Path) -> None:
    first, second = tmp_path / "user", tmp_path / "site-packages"
    for folder in (first, second):
        folder.mkdir()
    (first / "numpy-2.1.0.dist-info").mkdir()
    (second / "numpy-1.26.4.dist-info").mkdir()
    (second / "Flash_Attn-2.7.4.post1.dist-info").mkdir()
    (second / "old_style-1.0-py3.11.egg-info").mkdir()
    (second / "no-version.dist-info").mkdir()
    found = read_packages([str(first), str(second), "/nowhere"])
    assert found["numpy"].version == "2.1.0"
    assert found["numpy"].hidden == (f"1.26.4 in {second}",)
    assert found["flash-attn"].version == "2.7.4.post1"
    assert found["old-style"].version == "1.0"
    assert "no" not in found


@pytest.mark.parametrize(
    ("version", "cuda", "cpu_only"),
    [("2.5.1+cu124", "12.4", False), ("2.5.1+cpu", None, True), ("1.13.1", "11.7", False)],
)
def test_builds_of_torch(tmp_path: Path, version: str, cuda: str | None, cpu_only: bool) -> None:
    _torch(tmp_path, version, cuda)
    (tmp_path / "nvidia_cudnn_cu12-9.1.0.70.dist-info").mkdir()
    [build] = read_builds([str(tmp_path)], read_packages([str(tmp_path)]))
    assert (build.version, build.cuda, build.cpu_only) == (version, cuda, cpu_only)
    assert build.cudnn == ("9.1.0.70" if cuda else None)


def test_builds_of_tensorflow_and_jax(tmp_path: Path) -> None:
    file = tmp_path / "tensorflow/python/platform/build_info.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "import collections\nbuild_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_version', '12.5.1'), "
        "('cudnn_version', '9'), ('is_cuda_build', True)])\n"
    )
    for name in ("tensorflow-2.18.0", "jaxlib-0.4.35", "jax_cuda12_plugin-0.4.35"):
        (tmp_path / f"{name}.dist-info").mkdir()
    tensorflow, jax = read_builds([str(tmp_path)], read_packages([str(tmp_path)]))
    assert (tensorflow.version, tensorflow.cuda, tensorflow.cudnn) == ("2.18.0", "12.5.1", "9")
    assert (jax.version, jax.cuda, jax.cpu_only) == ("0.4.35", "12", False)


def test_libraries_in_the_order_of_the_loader(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    _library(site / "nvidia/cudnn/lib/libcudnn.so.9")
    (site / "nvidia_cudnn_cu12-9.1.0.70.dist-info").mkdir(parents=True)
    _library(tmp_path / "old/libcudnn.so.8.9.7", "libcudnn.so.8", "libcudnn.so")
    _library(tmp_path / "env/lib/libcudart.so.12.4.127", "libcudart.so.12")
    _library(tmp_path / "old/libcudnn.so.8.9.7.txt")
    path = [str(site)]
    found = find_libraries(
        path, read_packages(path), str(tmp_path / "env"), {"LD_LIBRARY_PATH": f"{tmp_path / 'old'}::/nowhere"}
    )
    cudnn = [
        (one.version, one.origin) for one in found if one.path.startswith(str(tmp_path)) and one.family == "libcudnn"
    ]
    assert cudnn == [("9.1.0.70", "the wheel cudnn"), ("8.9.7", "LD_LIBRARY_PATH")]
    cudart = next(one for one in found if one.family == "libcudart")
    assert (cudart.version, cudart.origin) == ("12.4.127", "the environment's lib folder")


def test_what_does_not_fit_together(tmp_path: Path) -> None:
    _torch(tmp_path)
    (tmp_path / "nvidia_cudnn_cu12-9.1.0.70.dist-info").mkdir()
    _library(tmp_path / "old/libcudnn.so.8.9.7")
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(tmp_path),
        "LD_LIBRARY_PATH": str(tmp_path / "old"),
        "NCCL_DEBUG": "INFO",
        "SECRET": "x",
    }
    found = read_environment([sys.executable], environ)
    assert any("LD_LIBRARY_PATH selects cuDNN 8.9.7" in said and "built for 9.1.0.70" in said for said in found.mixed)
    assert any(said.startswith("PYTHONPATH is set") for said in found.mixed)
    assert dict(found.variables).keys() == {"PYTHONPATH", "LD_LIBRARY_PATH", "NCCL_DEBUG"}
    facts = environment_facts(found)
    assert facts["torch.version"] == "2.5.1+cu124"
    assert facts["torch.cuda_tag"] == 124
    assert facts["cuda.version"] == "12.4"
    assert facts["cudnn.compiled"] == "9.1.0.70"


def test_no_python_anywhere(tmp_path: Path) -> None:
    found = read_environment([], {"PATH": str(tmp_path)})
    assert found.interpreter is None
    assert found.problem == "no Python was found on the PATH"
    assert environment_facts(found).keys() <= {"glibc.version"}

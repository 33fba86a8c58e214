"""Read the environment of a job, and find incompatible parts."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence

from logsense.machine.environment.interpreter import find_interpreter, interpreter_of_script, query_interpreter
from logsense.machine.environment.libraries import find_libraries
from logsense.machine.environment.packages import read_builds, read_packages
from logsense.machine.programs import output_of
from logsense.model.machine import Build, Environment, Interpreter, Library, Package

LIMIT_S = 3.0
VARIABLES = re.compile(
    r"(?:LD_(?:LIBRARY_PATH|PRELOAD)|CUDA_\w+|CUDNN_\w+|NVIDIA_\w+|NCCL_\w+|PYTORCH_\w+|TORCH_\w+|TF_\w+|XLA_\w+|JAX_\w+"
    r"|OMP_\w+|MKL_\w+|HF_\w+|TRANSFORMERS_\w+|PYTHON(?:PATH|HOME|NOUSERSITE)|CONDA_PREFIX|VIRTUAL_ENV|GLOO_\w+|UCX_\w+"
    r"|TOKENIZERS_PARALLELISM|COLAB_\w+|KAGGLE_\w+)$"
)
_RELEVANT = ("torch", "torchvision", "tensorflow", "jax", "jaxlib", "numpy", "triton", "transformers", "flash-attn")


def read_environment(command: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> Environment:
    """Return the environment that `command` would run in. Never raises, never imports a framework."""
    environ = dict(os.environ if environ is None else environ)
    executable = find_interpreter(command, environ)
    interpreter, problem = None, "no Python was found on the PATH"
    if executable:
        interpreter, problem = query_interpreter(executable, environ)
    path = interpreter.path if interpreter else ()
    packages = read_packages(path)
    builds = read_builds(path, packages)
    libraries = find_libraries(path, packages, interpreter.prefix if interpreter else "", environ)
    colab = "COLAB_RELEASE_TAG" in environ or "google-colab" in packages
    if colab and interpreter:
        interpreter = interpreter._replace(kind="Colab")
    tools = dict(_tools(environ))
    return Environment(
        interpreter=interpreter,
        packages=packages,
        builds=builds,
        libraries=libraries,
        variables={name: value for name, value in sorted(environ.items()) if VARIABLES.match(name)},
        tools=tools,
        mixed=tuple(_mixed(interpreter, packages, builds, libraries, environ)),
        colab=colab,
        problem=problem,
    )


def environment_facts(environment: Environment) -> dict[str, object]:
    """Return the facts that the environment states, under the names that rules use."""
    facts: dict[str, object] = {}
    for build in environment.builds:
        facts[f"{build.name}.version"] = build.version or None
        if build.name == "torch":
            tag = re.search(r"\+cu(\d+)", build.version)
            facts["torch.cuda_tag"] = int(tag[1]) if tag else None
            facts["cuda.version"] = build.cuda
            facts["torch.cpu_build"] = build.version if build.cpu_only else None
        if build.cudnn:
            facts.setdefault("cudnn.compiled", build.cudnn)
    if environment.interpreter:
        facts["python.version"] = environment.interpreter.version or None
    facts["glibc.version"] = environment.tools.get("glibc")
    return {name: value for name, value in facts.items() if value is not None}


def _tools(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    search = environ.get("PATH")
    for name, arguments, pattern in (
        ("nvcc", ["--version"], r"release ([\d.]+)"),
        ("gcc", ["-dumpfullversion"], r"^([\d.]+)"),
        ("ninja", ["--version"], r"^([\d.]+)"),
    ):
        file = shutil.which(name, path=search)
        if name == "nvcc" and file is None:
            home = environ.get("CUDA_HOME") or environ.get("CUDA_PATH") or "/usr/local/cuda"
            file = shutil.which(os.path.join(home, "bin", "nvcc"))
        if file:
            version = _version(file, arguments, pattern)
            yield name, f"{version} ({os.path.realpath(file)})" if version else f"? ({file})"
    library, version = platform.libc_ver()
    if library == "glibc":
        yield "glibc", version


def _version(file: str, arguments: list[str], pattern: str) -> str | None:
    found = re.search(pattern, output_of([file, *arguments], LIMIT_S).decode("utf-8", "replace"), re.MULTILINE)
    return found[1] if found else None


def _mixed(
    interpreter: Interpreter | None,
    packages: Mapping[str, Package],
    builds: Sequence[Build],
    libraries: Sequence[Library],
    environ: Mapping[str, str],
) -> Iterator[str]:
    """Yield a sentence for each incompatibility."""
    for package in packages.values():
        if package.hidden and package.name in _RELEVANT:
            yield f"{package.name} is installed twice: {package.version} in {package.folder} hides {package.hidden[0]}"
    for build in builds:
        yield from _hidden_cudnn(build, libraries)
    for name in ("PYTHONHOME", "PYTHONPATH"):
        if environ.get(name):
            yield f"{name} is set to {environ[name]}: modules may come from there instead of the environment"
    if interpreter:
        pip = shutil.which("pip", path=environ.get("PATH"))
        owner = interpreter_of_script(pip, environ.get("PATH")) if pip else None
        if owner and not _same_prefix(owner, interpreter.prefix):
            yield f"pip on the PATH installs for {owner}, not for {interpreter.executable}: use python -m pip"


def _hidden_cudnn(build: Build, libraries: Sequence[Library]) -> Iterator[str]:
    if not build.cudnn:
        return
    wanted = build.cudnn.split(".")[0]
    for one in libraries:
        if one.family != "libcudnn" or one.origin != "LD_LIBRARY_PATH" or not one.version:
            continue
        if one.version.split(".")[0] != wanted or _older(one.version, build.cudnn):
            yield (
                f"LD_LIBRARY_PATH selects cuDNN {one.version} ({one.path}), but {build.name} {build.version} "
                f"was built for {build.cudnn}"
            )


def _older(version: str, than: str) -> bool:
    have, want = (tuple(int(part) for part in re.findall(r"\d+", text)[:2]) for text in (version, than))
    return len(have) == len(want) == 2 and have < want


def _same_prefix(executable: str, prefix: str) -> bool:
    return os.path.realpath(os.path.dirname(os.path.dirname(executable))) == os.path.realpath(prefix)

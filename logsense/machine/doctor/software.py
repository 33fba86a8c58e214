"""The steps that look at what is installed: libraries, toolkit, variables, Python."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from logsense.machine.doctor.seen import Seen
from logsense.model.checkup import Step

Judgement = tuple[str, str, str]

_SHOWN = ("libcudnn", "libcudart", "libcublas", "libnccl")


def libraries(seen: Seen) -> Step:
    """Which copies of the libraries of CUDA the loader would take, and whether one hides another."""
    title = "CUDA libraries"
    copies = [one for one in seen.environment.libraries if one.family in _SHOWN]
    lines = tuple(f"{one.family} {one.version or '?'}  {one.path}  ({one.origin})" for one in copies)
    families = {one.family for one in copies}
    mixed = [said for said in seen.environment.mixed if said.startswith("LD_LIBRARY_PATH")]
    if mixed:
        return Step("libraries", title, "failed", "; ".join(mixed), lines, "env.library-path-conflict")
    if not copies:
        return Step("libraries", title, "unknown", "none were found; frameworks may bring their own inside")
    first = {family: next(one for one in copies if one.family == family) for family in sorted(families)}
    says = ", ".join(f"{family[3:]} {one.version or '?'}" for family, one in first.items())
    return Step("libraries", title, "ok", says, lines)


def toolkit(seen: Seen) -> Step:
    """The toolkit only matters to what is compiled here: extensions, custom kernels."""
    title = "CUDA toolkit"
    nvcc = seen.environment.tools.get("nvcc")
    if nvcc is None:
        return Step("toolkit", title, "ok", "no nvcc, which only matters to what is compiled here")
    version = nvcc.split()[0]
    for build in seen.environment.builds:
        if build.cuda and build.cuda.split(".")[0] != version.split(".")[0]:
            says = f"nvcc {nvcc} does not fit {build.name}, built for CUDA {build.cuda}: extensions will not compile"
            return Step("toolkit", title, "warned", says, cause="env.cuda-toolkit-mismatch")
    return Step("toolkit", title, "ok", f"nvcc {nvcc}")


def variables(seen: Seen, judgements: Sequence[Judgement]) -> Step:
    """What the values of environment variables mean, and folders in them that do not exist."""
    title = "Variables"
    odd = []
    for name, value in seen.environment.variables.items():
        for judged, pattern, says in judgements:
            if judged == name and re.fullmatch(pattern, value.strip(), re.IGNORECASE):
                odd.append(f"{name}={value}: {says}")
    for name in ("CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"):
        absent = [one for one in seen.environ.get(name, "").split(os.pathsep) if one and not os.path.isdir(one)]
        if absent:
            odd.append(f"{name} names {', '.join(absent)}, which is not there")
    if odd:
        return Step("variables", title, "warned", f"{len(odd)} to look at", tuple(odd))
    return Step("variables", title, "ok", f"{len(seen.environment.variables)} that matter are set, none is odd")


def environment_step(seen: Seen) -> Step:
    """Which Python the job would use, and what in its environment is odd."""
    title = "Python environment"
    found = seen.environment.interpreter
    if found is None:
        return Step("environment", title, "failed", seen.environment.missing.get("interpreter", ""))
    says = f"Python {found.version}, {found.kind}, {found.executable}"
    odd = tuple(said for said in seen.environment.mixed if not said.startswith("LD_LIBRARY_PATH"))
    return Step("environment", title, "warned" if odd else "ok", says, odd)

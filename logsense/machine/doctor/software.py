"""Check the installed software: libraries, toolkit, variables, Python."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from logsense.model.checkup import Step
from logsense.model.machine import Driver, Environment, Gpu, Host
from logsense.util.noun import NamedTuple

VariableRule = tuple[str, str, str]  # the name of a variable, a regex of its value, what the value means


class MachineState(NamedTuple):
    """The state of the machine that the steps of a check share."""

    driver: Driver
    gpus: tuple[Gpu, ...]
    host: Host
    environment: Environment
    environ: Mapping[str, str]

    @property
    def interpreter(self) -> str | None:
        """The Python that the job would use."""
        return self.environment.interpreter.executable if self.environment.interpreter else None


def libraries(machine: MachineState) -> Step:
    """Check which copies of the CUDA libraries the loader would use, and whether one hides another."""
    title = "CUDA libraries"
    copies = machine.environment.libraries
    lines = tuple(f"{one.family} {one.version or '?'}  {one.path}  ({one.origin})" for one in copies)
    families = {one.family for one in copies}
    mixed = [one for one in machine.environment.mixed if one.startswith("LD_LIBRARY_PATH")]
    if mixed:
        return Step("libraries", title, "failed", "; ".join(mixed), lines, "env.library-path-conflict")
    if not copies:
        return Step("libraries", title, "unknown", "none were found; frameworks may bundle their own")
    first = {family: next(one for one in copies if one.family == family) for family in sorted(families)}
    says = ", ".join(f"{family[3:]} {one.version or '?'}" for family, one in first.items())
    return Step("libraries", title, "ok", says, lines)


def toolkit(machine: MachineState) -> Step:
    """Check the CUDA toolkit, which matters only for code compiled here: extensions, custom kernels."""
    title = "CUDA toolkit"
    nvcc = machine.environment.tools.get("nvcc")
    if nvcc is None:
        return Step("toolkit", title, "ok", "no nvcc; it matters only for code compiled here")
    version = nvcc.split()[0]
    for build in machine.environment.builds:
        if build.cuda and build.cuda.split(".")[0] != version.split(".")[0]:
            says = (
                f"nvcc {nvcc} is incompatible with {build.name}, built for CUDA {build.cuda}: extensions can't compile"
            )
            return Step("toolkit", title, "warned", says, cause="env.cuda-toolkit-mismatch")
    return Step("toolkit", title, "ok", f"nvcc {nvcc}")


def variables(machine: MachineState, variable_rules: Sequence[VariableRule]) -> Step:
    """Check the values of environment variables, and whether the folders in them exist."""
    title = "Variables"
    problems = []
    for name, value in machine.environment.variables.items():
        for variable, pattern, says in variable_rules:
            if variable == name and re.fullmatch(pattern, value.strip(), re.IGNORECASE):
                problems.append(f"{name}={value}: {says}")
    for name in ("CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"):
        absent = [one for one in machine.environ.get(name, "").split(os.pathsep) if one and not os.path.isdir(one)]
        if absent:
            problems.append(f"{name} names {', '.join(absent)}, which does not exist")
    if problems:
        return Step("variables", title, "warned", f"{len(problems)} to check", tuple(problems))
    return Step("variables", title, "ok", f"{len(machine.environment.variables)} relevant set, no problems")


def environment_step(machine: MachineState) -> Step:
    """Check the Python that the job would use, and its environment."""
    title = "Python environment"
    found = machine.environment.interpreter
    if found is None:
        return Step("environment", title, "failed", machine.environment.problem)
    says = f"Python {found.version}, {found.kind}, {found.executable}"
    problems = tuple(said for said in machine.environment.mixed if not said.startswith("LD_LIBRARY_PATH"))
    return Step("environment", title, "warned" if problems else "ok", says, problems)

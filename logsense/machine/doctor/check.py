"""The steps of a check; each depends on those before it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from logsense.machine.doctor import probes
from logsense.machine.doctor.probes import Probed, probe
from logsense.machine.doctor.software import MachineState, VariableRule, environment_step, libraries, toolkit, variables
from logsense.machine.environment.read import environment_facts, read_environment
from logsense.machine.gpu.read import gpu_facts, problems_of, read_gpus
from logsense.machine.host.read import host_facts, read_host
from logsense.model.checkup import Checkup, Step
from logsense.model.live import Live, LiveFact
from logsense.model.machine import Build
from logsense.model.values import show_bytes, to_count

IMPORT_S, WORK_S, TOGETHER_S = 90.0, 90.0, 90.0
TIGHT = 0.9
LEAST_SHM_BYTES = 256 << 20
LEAST_DISK_BYTES = 1 << 30
LEAST_FILES = 4096


def check(
    command: Sequence[str], on_step: Callable[[Step], None], *, quick: bool, variable_rules: Sequence[VariableRule]
) -> Checkup:
    """Check this machine for a job that `command` would start; call `on_step` after each step.

    With `quick`, nothing is run on the GPUs. `variable_rules` describe values of environment variables. Never raises.
    """
    environ = dict(os.environ)
    driver, gpus = read_gpus()
    machine = MachineState(driver, gpus, read_host(environ=environ), read_environment(command, environ), environ)
    steps: list[Step] = []
    for step in _steps(machine, steps, quick, variable_rules):
        steps.append(step)
        on_step(step)
    facts = {
        name: LiveFact(value, "this machine, now")
        for found in (gpu_facts(driver, gpus), host_facts(machine.host), environment_facts(machine.environment))
        for name, value in found.items()
    }
    return Checkup(tuple(steps), Live("this machine, now", facts), machine.interpreter)


def _steps(
    machine: MachineState, done: list[Step], quick: bool, variable_rules: Sequence[VariableRule]
) -> Iterator[Step]:
    yield _driver(machine)
    driver_works = done[-1].state == "ok"
    yield _driver_api(machine, driver_works)
    cuda_works = done[-1].state in ("ok", "warned")
    yield _devices(machine)
    yield _visible(machine)
    yield libraries(machine)
    yield toolkit(machine)
    yield environment_step(machine)
    yield variables(machine, variable_rules)
    builds = machine.environment.builds
    if not builds:
        why = machine.environment.problem or "no PyTorch, TensorFlow or JAX is installed for it"
        yield Step("framework", "Framework", "unknown", f"{machine.interpreter or 'Python'}: {why}")
    for build in builds:
        yield from _framework(build, machine, cuda_works, quick)
    yield _memory(machine)
    yield _host(machine)


def _driver(machine: MachineState) -> Step:
    driver = machine.driver
    if not driver.problem:
        return Step("driver", "Driver", "ok", f"NVIDIA driver {driver.version}, CUDA up to {driver.cuda or '?'}")
    if driver.kernel:
        proof = (f"kernel driver: {driver.kernel}",)
        mismatch = "different versions" in driver.problem
        cause = "env.driver-library-mismatch" if mismatch else "env.driver-not-loaded"
        return Step("driver", "Driver", "failed", driver.problem, proof, cause)
    if machine.environment.colab:
        return Step("driver", "Driver", "failed", "this Colab runtime has no GPU", cause="env.no-gpu-visible")
    if machine.host.container and not os.path.exists("/dev/nvidiactl"):
        says = f"this container ({machine.host.container}) was started without a GPU: {driver.problem}"
        return Step("driver", "Driver", "failed", says, cause="env.container-runtime")
    return Step("driver", "Driver", "failed", driver.problem, cause="env.driver-not-loaded")


def _driver_api(machine: MachineState, driver_works: bool) -> Step:
    title = "CUDA driver API"
    interpreter = machine.interpreter
    if interpreter is None:
        return Step("cuda", title, "unknown", "there is no Python to test it with")
    found = probe(probes.DRIVER, interpreter, 30.0, machine.environ)
    if found.good:
        count = found.values.get("count", "?")
        says = f"cuInit works, CUDA {found.values.get('version')}, {count} device{'' if count == '1' else 's'}"
        return Step("cuda", title, "ok", says)
    if not driver_works:
        return Step("cuda", title, "skipped", "there is no working driver")
    if "missing" in found.values:
        return Step("cuda", title, "failed", found.values["missing"], cause="env.driver-not-loaded")
    name = found.values.get("name")
    says = f"cuInit returns {name}" if name else f"cuInit {found.end()}"
    hidden = name == "CUDA_ERROR_NO_DEVICE"
    return Step("cuda", title, "failed", says, cause="env.no-gpu-visible" if hidden else "env.cuda-init-failure")


def _devices(machine: MachineState) -> Step:
    title = "GPUs"
    whole = [gpu for gpu in machine.gpus if gpu.parent is None]
    if not whole:
        return Step("devices", title, "skipped" if machine.driver.problem else "failed", "no GPU was found")
    names: dict[str, int] = {}
    for gpu in whole:
        names[gpu.name or "?"] = names.get(gpu.name or "?", 0) + 1
    says = ", ".join(f"{count} × {name}" if count > 1 else name for name, count in names.items())
    wrong = [f"GPU {gpu.number}: {problem}" for gpu in whole for problem in problems_of(gpu)]
    if not wrong:
        return Step("devices", title, "ok", f"{says}, healthy")
    lost = [gpu for gpu in whole if gpu.lost]
    broken = [gpu for gpu in whole if gpu.remap_failed or gpu.ecc_uncorrected]
    cause = "hardware.fallen-off-bus" if lost else "hardware.ecc-uncorrectable" if broken else None
    pending = any(gpu.remap_pending for gpu in whole)
    cause = cause or ("hardware.row-remap" if pending else None)
    return Step("devices", title, "failed" if cause else "warned", says, tuple(wrong), cause)


def _visible(machine: MachineState) -> Step:
    title = "Devices visible to the job"
    shown = machine.environ.get("CUDA_VISIBLE_DEVICES")
    count = len([gpu for gpu in machine.gpus if gpu.parent is None])
    if shown is None:
        return Step("visible", title, "ok", "all: CUDA_VISIBLE_DEVICES is not set")
    wanted = [one.strip() for one in shown.split(",")]
    if not shown.strip() or wanted[0] == "-1":
        says = f"CUDA_VISIBLE_DEVICES={shown!r} hides all of them"
        return Step("visible", title, "failed" if count else "warned", says, cause="env.no-gpu-visible")
    absent = [one for one in wanted if one.isdecimal() and to_count(one) not in range(count)]
    if absent and count:
        says = f"CUDA_VISIBLE_DEVICES={shown} names {', '.join(absent)}, but there are only 0 to {count - 1}"
        return Step("visible", title, "failed", says, cause="env.device-ordinal")
    return Step("visible", title, "ok", f"CUDA_VISIBLE_DEVICES={shown}")


def _framework(build: Build, machine: MachineState, cuda_works: bool, quick: bool) -> Iterator[Step]:
    names = {"torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}
    title = names[build.name]
    target = f"CUDA {build.cuda}" if build.cuda else "the CPU only" if build.cpu_only else "?"
    says = f"{title} {build.version}, built for {target}"
    says += f" and cuDNN {build.cudnn}" if build.cudnn else ""
    if build.cpu_only:
        failed = bool(machine.gpus) or not machine.driver.problem
        yield Step(build.name, title, "failed" if failed else "warned", says, cause="env.cpu-only-build")
        return
    program = {"torch": probes.TORCH, "tensorflow": probes.TENSORFLOW, "jax": probes.JAX}[build.name]
    assert machine.interpreter, "packages were found on its module path"
    found = probe(program, machine.interpreter, IMPORT_S, machine.environ)
    sees = found.good and found.values.get("count", "0") != "0" and found.values.get("platform") != "cpu"
    if sees:
        yield Step(build.name, title, "ok", f"{says}; it sees {found.values['count']} GPU(s)", _devices_in(found))
    elif not cuda_works and b"import" not in found.output[-2000:]:
        yield Step(build.name, title, "skipped", f"{says}; it can't use a GPU until the driver works")
        return
    else:
        says += "; it sees no GPU" if found.good else f"; the check {found.end()}"
        yield Step(build.name, title, "failed", says, _tail(found), log=found.output)
        return
    if build.name != "torch" or quick:
        return
    right = "products and convolutions are correct"
    yield _tried("work", "Real work on every GPU", probes.TORCH_WORK, WORK_S, right, machine)
    if int(found.values.get("count", "0")) > 1:
        says = "an NCCL all-reduce over all GPUs is correct"
        yield _tried("together", "GPUs together", probes.TORCH_TOGETHER, TOGETHER_S, says, machine)


def _tried(id: str, title: str, program: str, limit_s: float, says: str, machine: MachineState) -> Step:
    assert machine.interpreter
    found = probe(program, machine.interpreter, limit_s, machine.environ)
    if found.good:
        return Step(id, title, "ok", says)
    cause = "distributed.p2p" if found.status is None and id == "together" else None
    return Step(id, title, "failed", f"it {found.end()}", _tail(found), cause, found.output)


def _memory(machine: MachineState) -> Step:
    title = "Free GPU memory"
    known = [gpu for gpu in machine.gpus if gpu.memory_total_bytes and gpu.memory_used_bytes is not None]
    if not known:
        return Step("memory", title, "skipped", "no GPU is readable")
    full = [gpu for gpu in known if (gpu.memory_used_bytes or 0) > TIGHT * (gpu.memory_total_bytes or 1)]
    lines = []
    for gpu in full:
        holders = [
            f"{one.name or one.owner} {one.pid} {show_bytes(one.memory_used_bytes or 0)}" for one in gpu.processes or ()
        ]
        lines.append(f"GPU {gpu.number}: held by {', '.join(holders) or 'no visible process'}")
    least = min((gpu.memory_free_bytes or 0) for gpu in known)
    if full:
        numbers = ", ".join(str(gpu.number) for gpu in full)
        says = f"GPU {numbers} {'is' if len(full) == 1 else 'are'} nearly full"
        return Step("memory", title, "failed", says, tuple(lines), "gpu-memory.other-process")
    return Step("memory", title, "ok", f"at least {show_bytes(least)} on every GPU")


def _host(machine: MachineState) -> Step:
    """Check the limits of the host that training runs into."""
    title, host = "Host", machine.host
    problems, cause = [], None
    if host.shm and (host.shm.total_bytes or 0) < LEAST_SHM_BYTES:
        size = show_bytes(host.shm.total_bytes or 0)
        problems.append(f"shared memory ({host.shm.path}) has only {size}: data loaders with workers will fail")
        cause = "host-memory.shared-memory"
    for disk in host.disks:
        if disk.free_bytes is not None and disk.free_bytes < LEAST_DISK_BYTES:
            problems.append(f"only {show_bytes(disk.free_bytes)} free for {disk.role} ({disk.path})")
        if disk.read_only and disk.role == "working folder":
            problems.append(f"the working folder {disk.path} is read-only")
    files = host.limits.get("nofile")
    if files is not None and files < LEAST_FILES:
        problems.append(f"the limit of open files is only {files} (ulimit -n)")
    limit = host.cgroup.limit_bytes if host.cgroup else None
    says = f"{show_bytes(limit or host.ram_total_bytes or 0)} of memory{' (cgroup limit)' if limit else ''}"
    says += f", {show_bytes(host.ram_available_bytes or 0)} free, {host.cpus} processors"
    return Step("host", title, "warned" if problems else "ok", says, tuple(problems), cause)


def _devices_in(found: Probed) -> tuple[str, ...]:
    return tuple(value for key, value in found.values.items() if key.startswith("device"))


def _tail(found: Probed) -> tuple[str, ...]:
    lines = [line.rstrip() for line in found.output.decode("utf-8", "replace").splitlines() if line.strip()]
    return tuple(lines[-3:])

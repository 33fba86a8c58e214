"""What a job runs on, in rows for a bug report: system, GPUs, Python, frameworks, libraries, variables."""

from __future__ import annotations

import platform

from logsense.machine.environment.read import read_environment
from logsense.machine.gpu import read_gpus
from logsense.model.values import show_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsense.model.environment import Environment
    from logsense.model.gpu import Driver, Gpu

# Packages whose version may matter to a run that failed, besides all of NVIDIA's own.
_MATTER = (
    *("torch", "torchvision", "torchaudio", "triton", "xformers", "flash-attn", "bitsandbytes", "apex"),
    *("tensorflow", "keras", "jax", "jaxlib", "flax", "numpy", "transformers", "accelerate", "datasets", "tokenizers"),
    *("peft", "trl", "deepspeed", "megatron-core", "lightning", "pytorch-lightning", "ray", "vllm", "sglang"),
    *("safetensors", "huggingface-hub", "wandb", "mlflow"),
)


def setup_rows() -> dict[str, str]:
    """Names for people, with what this machine and the Python of a job show. Never raises, imports no framework."""
    driver, gpus = read_gpus()
    return {name: value for name, value in _rows(read_environment(), driver, gpus) if value}


def _rows(environment: Environment, driver: Driver, gpus: tuple[Gpu, ...]) -> Iterator[tuple[str, str]]:
    yield "system", platform.platform()
    yield "driver", driver.problem or f"{driver.version or '?'}, CUDA up to {driver.cuda or '?'}"
    for gpu in gpus:
        memory = f", {show_bytes(gpu.memory_total_bytes)}" if gpu.memory_total_bytes else ""
        yield f"GPU {gpu.number}", f"{gpu.name or '?'}{memory}"
    if environment.interpreter:
        yield "Python", f"{environment.interpreter.version} ({environment.interpreter.kind})"
    for build in environment.builds:
        parts = [build.version, "for CPU only" if build.cpu_only else f"for CUDA {build.cuda}" if build.cuda else ""]
        parts.append(f"cuDNN {build.cudnn}" if build.cudnn else "")
        yield f"{build.name} version", ", ".join(part for part in parts if part)
    for name, package in environment.packages.items():
        if name in _MATTER or name.startswith("nvidia-"):
            yield f"{name} version", package.version
    for name, value in environment.tools.items():
        yield f"{name} version", value
    for name, value in environment.variables.items():
        yield f"${name}", value
    for number, said in enumerate(environment.mixed, 1):
        yield f"odd {number}", said

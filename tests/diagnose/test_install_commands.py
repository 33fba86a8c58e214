"""The first command for a PyTorch that does not fit: whole, with the versions and the index for this driver and GPU."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text

TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version {}). Please update your GPU driver"
NO_KERNEL = "torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device"
UNFIT = (
    "UserWarning: {} with CUDA capability {} is not compatible with the current PyTorch installation.\n"
    "The current PyTorch install supports CUDA capabilities sm_75 sm_80 sm_86 sm_90.\n" + NO_KERNEL
)
NO_CUDA = "AssertionError: Torch not compiled with CUDA enabled"
SMI = "| NVIDIA-SMI 535.129.03      Driver Version: 535.129.03   CUDA Version: 12.2     |\n"
MISSING = (
    "Traceback (most recent call last):\n"
    '  File "/opt/env/lib/python3.12/site-packages/vllm/_custom_ops.py", line 5, in <module>\n    import vllm._C\n'
    "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory"
)
TRITON = "AssertionError: libcuda.so cannot found!\nPossible files are located at ['/usr/lib/libcuda.so.1']"


@pytest.mark.parametrize(
    ("log", "command"),
    [
        (TOO_OLD.format(12020), "pip install torch==2.10.0 torchvision==0.25.0"),
        (
            TOO_OLD.format(11040),
            "pip install 'torch==2.7.*' torchvision --index-url https://download.pytorch.org/whl/cu118",
        ),
        (TOO_OLD.format(13000), "pip install torch torchvision --index-url https://download.pytorch.org/whl/cu130"),
        (UNFIT.format("Tesla V100-SXM2-16GB", "sm_70"), "pip install torch==2.10.0 torchvision==0.25.0"),
        (UNFIT.format("NVIDIA GeForce GTX 1080 Ti", "sm_61"), "pip install torch==2.7.1 torchvision==0.22.1"),
        (
            UNFIT.format("NVIDIA GeForce RTX 5090", "sm_120"),
            "pip install --force-reinstall torch==2.11.0 torchvision==0.26.0 --index-url https://download.pytorch.org/whl/cu128",
        ),
        (
            SMI + UNFIT.format("NVIDIA GeForce RTX 5090", "sm_120"),
            "pip install --force-reinstall torch==2.11.0 torchvision==0.26.0 --index-url https://download.pytorch.org/whl/cu128",
        ),
        ("RuntimeError: HIP error: no kernel image is available for execution on the device", "unset HSA_OVERRIDE"),
        (NO_CUDA, "pip uninstall -y torch torchvision torchaudio && pip install torch torchvision"),
        (
            SMI + NO_CUDA,
            "pip uninstall -y torch torchvision torchaudio && pip install torch==2.10.0 torchvision==0.25.0",
        ),
        (MISSING, "python -c 'import torch; print(torch.__version__, torch.version.cuda)'; pip install torch==2.10.0"),
        (TRITON, "export TRITON_LIBCUDA_PATH="),
    ],
)
def test_the_first_command_is_whole_and_needs_no_administrator(log: str, command: str) -> None:
    (first, *_) = explain_text(log.encode() + b"\n", load_catalog()).diagnoses
    fix = first.fixes[0]
    assert fix.run
    assert fix.run.startswith(command)
    assert "needs-admin" not in fix.risk


@pytest.mark.parametrize(
    ("capability", "package"), [("sm_70", "nvidia-driver-580"), ("sm_120", "nvidia-driver-580-open")]
)
def test_new_gpus_get_the_open_kernel_modules(capability: str, package: str) -> None:
    log = SMI + TOO_OLD.format(12020) + "\n" + UNFIT.format("GPU", capability).split("\n", maxsplit=1)[0] + "\n"
    diagnoses = explain_text(log.encode(), load_catalog()).diagnoses
    driver = next(one for one in diagnoses if one.cause == "env.driver-too-old")
    commands = [fix.run.split("   #")[0] for fix in driver.fixes if fix.run and "apt-get install" in fix.run]
    assert [command.split()[-1] for command in commands] == [package]


def test_a_gpu_for_which_no_build_exists_gets_none() -> None:
    log = UNFIT.format("NVIDIA R200", "sm_107").encode() + b"\n"
    (first, *_) = explain_text(log, load_catalog()).diagnoses
    assert not any(fix.run and "pip install" in fix.run and "torch" in fix.run.split() for fix in first.fixes)


@pytest.mark.parametrize(
    ("release", "advice"),
    [
        ("2.15.0", "Use Python 3.11 to 3.15, for which PyTorch 2.15.0 has packages"),
        ("2.1.2", "Use Python 3.8 to 3.11, for which PyTorch 2.1.2 has packages"),
        ("9.30.0", "Use a version that pip lists"),
        ("1.7.1+cu110", "PyTorch's own index, the only one with +cu"),
    ],
)
def test_a_pytorch_without_a_package_for_this_python_names_its_pythons(release: str, advice: str) -> None:
    log = (
        f"ERROR: Could not find a version that satisfies the requirement torch=={release} (from versions: 2.6.0, 2.7.0)"
    )
    assert advice in explain_text(log.encode(), load_catalog()).diagnoses[0].fixes[0].do


@pytest.mark.parametrize(
    ("library", "command"), [("torchaudio", "torch torchvision torchaudio"), ("torchtext", "uninstall")]
)
def test_companions_of_pytorch_are_reinstalled_with_it(library: str, command: str) -> None:
    log = f"OSError: /v/site-packages/{library}/lib/lib{library}.so: undefined symbol: _ZNK5torch8autograd4Node4nameEv"
    found = explain_text(log.encode(), load_catalog()).diagnoses[0].fixes[0]
    assert found.run
    assert command in found.run
    assert "Rebuild" not in found.do

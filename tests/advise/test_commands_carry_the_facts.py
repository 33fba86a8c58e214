"""The first command is the one that fits the driver, the GPU, Python, the installer and the program of the log."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.facts.tables import best_row
from logsense.model.values import version_key
from logsense.pipeline import explain_text

TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version {}).\n"
FRAME = 'Traceback (most recent call last):\n  File "{}", line 9, in f\n    g()\n'
VLLM = FRAME.format("/opt/env/lib/python3.11/site-packages/vllm/entrypoints/llm.py")
OLD_PYTHON = FRAME.format("/opt/env/lib/python3.8/site-packages/torch/cuda/__init__.py")
NOT_COMPILED = "AssertionError: Torch not compiled with CUDA enabled\n"
NO_IMAGE = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
RTX_3090 = """\
{}/torch/cuda/__init__.py:104: UserWarning:
NVIDIA GeForce RTX 3090 with CUDA capability sm_86 is not compatible with the current PyTorch installation.
The current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_60 sm_70.
"""
V100 = RTX_3090.replace("NVIDIA GeForce RTX 3090", "Tesla V100-SXM2-32GB").replace("sm_86", "sm_70")
UNDEFINED = "ImportError: /opt/env/lib/python3.10/site-packages/{}: undefined symbol: _ZN3c1017RegisterOperatorsD1Ev\n"


@pytest.mark.parametrize(
    ("log", "command"),
    [
        (TOO_OLD.format(11040), "pip install 'torch==2.7.*' torchvision --index-url https://download.pytorch.org/whl/cu118"),
        (TOO_OLD.format(12080), "pip install torch==2.10.0 torchvision==0.25.0"),
        (VLLM + TOO_OLD.format(12080), "pip install vllm==0.19.1"),
        ("vllm==0.20.2\n" + TOO_OLD.format(12080), "pip install vllm==0.19.1"),
        (VLLM + TOO_OLD.format(11040), "pip install https://github.com/vllm-project/vllm/releases/download/v0.8.5/vllm-0.8.5+cu118-"),
        (OLD_PYTHON + TOO_OLD.format(12040), "pip install torch==2.4.1 torchvision==0.19.1"),
        (OLD_PYTHON + TOO_OLD.format(11040), "pip install torch==2.4.1 torchvision==0.19.1 --index-url https://download.pytorch.org/whl/cu118"),
        (RTX_3090.format("/opt/env/lib/python3.8/site-packages") + NO_IMAGE, "pip install --force-reinstall torch==2.4.1 torchvision==0.19.1"),
        (V100.format("/opt/env/lib/python3.12/site-packages") + NO_IMAGE, "pip install torch==2.10.0 torchvision==0.25.0"),
        (V100.format("/opt/env/lib/python3.12/site-packages") + VLLM + NO_IMAGE, "pip install vllm==0.19.1"),
        (OLD_PYTHON + NOT_COMPILED, "pip uninstall -y torch torchvision torchaudio && pip install torch==2.4.1 torchvision==0.19.1"),
        (FRAME.format("/home/me/miniconda3/envs/x/train.py") + NOT_COMPILED, "conda list '^(py)?torch'; CONDA_OVERRIDE_CUDA=12.8 conda install -c conda-forge pytorch-gpu"),
        (FRAME.format(r"C:\me\train.py") + NOT_COMPILED, "pip uninstall -y torch torchvision torchaudio\npip install torch torchvision --index-url https://download.pytorch.org/whl/cu130"),
        (FRAME.format(r"C:\ui\python_embeded\Lib\site-packages\torch\cuda\__init__.py") + NOT_COMPILED, ".\\python_embeded\\python.exe -m pip uninstall -y torch"),
        ("torch.__version__ 2.5.1+cu124\n" + UNDEFINED.format("torch_scatter/_version_cuda.so"), "pip install --no-cache-dir --force-reinstall --no-deps torch-scatter torch-sparse torch-cluster -f https://data.pyg.org/whl/"),
        ("vllm: 0.3.2\n" + UNDEFINED.format("vllm/_C.abi3.so"), "pip install vllm==0.3.2 torch==2.1.2"),
        ("fatal: unable to access 'https://x.org/a/': server certificate verification failed. CAfile: none CRLfile: none\n", "sudo apt-get update && sudo apt-get install ca-certificates"),
        ("urllib.error.URLError: <urlopen error [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed>\n", "pip install --upgrade certifi"),
        ("TypeError: Arrays used as indices must be of integer (or boolean) type\n", "i = i.astype(jnp.int32)"),
        ("tar: lib/libx.so: Cannot create symlink to 'libx.so.1': Operation not permitted\n", "df -T .; tar -xf ARCHIVE.tar -C LOCAL_FOLDER"),
        ("W0608 dynamic_loader.cc:276] You may need to install 'nccl2' from NVIDIA official website: https://x\n", "sudo apt-get update && sudo apt-get install libnccl2 libnccl-dev"),
    ],
)  # fmt: skip
def test_the_first_command(log: str, command: str) -> None:
    fix = explain_text(log.encode(), load_catalog()).diagnoses[0].fixes[0]
    assert (fix.run or "").startswith(command), fix


@pytest.mark.parametrize(
    ("line", "python"),
    [
        ('  File "/opt/env/lib/python3.11/site-packages/x/y.py", line 2, in f', "3.11"),
        ("ImportError: /a/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c10x", "3.10"),
        ('  File "/home/me/python3.11-course/train.py", line 2, in f', None),
    ],
)
def test_paths_name_the_python(line: str, python: str | None) -> None:
    log = f"Traceback (most recent call last):\n{line}\n{TOO_OLD.format(12040)}"
    fact = explain_text(log.encode(), load_catalog()).facts.get("log.python")
    assert (fact and fact.value) == python


def test_tables_agree_with_each_other() -> None:
    catalog = load_catalog()
    releases, vllm = catalog.table("torch-cuda"), catalog.table("vllm-torch")
    old, drivers, gpus = (catalog.table(name) for name in ("python-torch", "driver-frameworks", "capability"))
    assert releases
    assert vllm
    assert old
    assert drivers
    assert gpus
    for row in old.rows:
        ranges = {str(one["torch"]): str(one["python"]) for one in releases.rows}
        newest = [
            torch for torch, span in ranges.items() if version_key(span.split()[0]) <= version_key(str(row["python"]))
        ]
        assert row["torch"] == max(newest, key=version_key), row
    for row in (*drivers.rows, *gpus.rows):
        if "vllm" in row and row.get("cuda") != "11.0":  # whose wheel is not that of PyPI
            wanted = best_row(vllm, {"vllm": row["vllm"]}, "release")
            assert wanted, row
            assert str(wanted["torch"]) == row["pip_torch"], row

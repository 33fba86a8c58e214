"""A command is one that the reader's system takes, or it is not shown."""

from __future__ import annotations

import pytest

from logsense.advise.commands import for_system
from logsense.api import explain
from logsense.catalog.load import load_catalog
from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from tests.conftest import Write
from tests.demo import FILES

ON_WINDOWS = {
    "export A=B": '$env:A="B"   # PowerShell; in cmd: set A=B',
    "A=1 python train.py --x 'a b'": '$env:A="1"   # PowerShell; in cmd: set A=1\npython train.py --x "a b"',
    "pip list | grep -i -E 'torch|numpy'": 'pip list | findstr /i "torch numpy"',
    "pip install 'numpy<2'   # the old one": 'pip install "numpy<2"\n# the old one',
    "python -c 'import torch; print(\"a\")'": "python -c \"import torch; print('a')\"",
    "nvidia-smi; dmesg | tail": "nvidia-smi",
    "which -a python && pip --version": "where.exe python\npip --version",
    "unset X": "Remove-Item Env:X   # PowerShell; in cmd: set X=",
    "kill -9 123": "taskkill /F /PID 123",
    "sudo apt-get install ninja-build": None,
    "rm -rf ~/.cache/torch_extensions": None,
    "rm -rf build dist": "cmd /c rmdir /s /q build dist",
    "rm -rf 'a & calc'": None,
    "nvidia-smi -q | grep -i ecc | head -5 | less": 'nvidia-smi -q | findstr /i "ecc"',
    "nvidia-smi | head -4 | wc -l": None,
    "head -4 train.log": None,
    "ls -lh data": "dir data",
    "ls 'my data'": 'dir "my data"',
    "mkdir -p a/b": None,
    "python train.py && sudo reboot": None,
    "pip install 'x$(calc)'": None,
    "pip install 'x`calc`'": None,
    "pip install 'x%PATH%'": None,
    "pip install 'a\" & calc'": None,
    "unset LD_LIBRARY_PATH; python train.py": None,
    "--bf16 --max-tokens 2048": "--bf16 --max-tokens 2048",
    "x = x.float()": "x = x.float()",
}
IN_COLAB = {
    "nvidia-smi": "!nvidia-smi",
    "pip install torch": "%pip install torch",
    "sudo apt-get install ninja-build": "!apt-get install -y ninja-build",
    "export A=B C=D": "# in the first cell, after a restart of the runtime:\n%env A=B\n%env C=D",
    "echo $HOME": "echo $HOME",
    "pip install '{__import__}'": "pip install '{__import__}'",
    "sbatch --mem=64G job.sh": None,
    "ulimit -n 65535": None,
    "torch.autograd.set_detect_anomaly(True)": "torch.autograd.set_detect_anomaly(True)",
}

ON_AMD = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 4.50 GiB. GPU 0 has a total capacity of 15.98 GiB of which 1.40 GiB is free. Of the allocated memory 1.26 GiB is allocated by PyTorch, and 152.50 MiB is reserved by PyTorch but unallocated."  # fmt: skip


@pytest.mark.parametrize(("command", "told"), ON_WINDOWS.items())
def test_for_windows(built_in_catalog: Catalog, command: str, told: str | None) -> None:
    assert for_system(command, built_in_catalog.systems()["windows"]) == told


@pytest.mark.parametrize(("command", "told"), IN_COLAB.items())
def test_for_a_notebook(built_in_catalog: Catalog, command: str, told: str | None) -> None:
    assert for_system(command, built_in_catalog.systems()["colab"]) == told


def test_for_macos_and_linux(built_in_catalog: Catalog) -> None:
    assert for_system("sudo apt-get install ninja-build", built_in_catalog.systems()["macos"]) is None
    assert for_system("pip list | grep torch", built_in_catalog.systems()["macos"]) == "pip list | grep torch"
    assert for_system("sudo apt-get install ninja-build", None) == "sudo apt-get install ninja-build"


RAISED = """Traceback (most recent call last):
  File "{file}", line 3, in <module>
    import einops
ModuleNotFoundError: No module named 'einops'
"""


@pytest.mark.parametrize(
    ("file", "system"),
    [
        (r"C:\Users\me\train.py", "windows"),
        ("D:/work/train.py", "windows"),
        ("/content/repo/train.py", "colab"),
        ("/kaggle/working/train.py", "kaggle"),
        ("/Users/me/train.py", "macos"),
        ("/home/me/train.py", None),
        ("train.py", None),
    ],
)
def test_what_system_it_was(file: str, system: str | None) -> None:
    fact = explain(RAISED.format(file=file).encode()).report.facts.get("log.system")
    assert (fact.value if fact else None) == system


def test_a_report_is_in_the_dialect() -> None:
    fixes = explain(RAISED.format(file=r"C:\Users\me\train.py").encode()).diagnoses[0].fixes
    commands = "\n".join(fix.run or "" for fix in fixes)
    assert "pip install einops" in commands
    assert "sudo" not in commands
    assert "export " not in commands


@pytest.mark.parametrize(
    ("log", "command"),
    [
        (
            "$ uv pip install flash-attn\n  × Failed to build `flash-attn==2.8.2`\n  ModuleNotFoundError: No module named 'torch'\n",
            "uv pip install torch packaging ninja wheel setuptools && uv pip install --no-build-isolation flash-attn==2.8.2",
        ),
        (
            'Traceback (most recent call last):\n  File "/root/.local/share/uv/python/cpython-3.12.4-linux-x86_64-gnu/lib/python3.12/runpy.py", line 9, in run\n  File "/w/train.py", line 3, in <module>\n    import einops\nModuleNotFoundError: No module named \'einops\'\n',
            "uv pip install einops",
        ),
    ],
)
def test_packages_are_installed_with_what_installed_the_others(log: str, command: str) -> None:
    assert explain(log.encode()).diagnoses[0].fixes[0].run == command


def test_for_uv(built_in_catalog: Catalog) -> None:
    uv = built_in_catalog.systems()["uv"]
    assert (
        for_system("pip uninstall -y torch; python -m pip install torch", uv)
        == "uv pip uninstall torch; uv pip install torch"
    )
    assert for_system("pip index versions trl", uv) == "uvx pip index versions trl"
    assert for_system("uv pip install torch", uv) == "uv pip install torch"


def test_what_is_no_path_tells_of_colab() -> None:
    said = explain(b"Your session crashed after using all available RAM.\n")
    assert said.report.facts["log.system"].value == "colab"
    assert not any("SBATCH" in (fix.run or "") for fix in said.diagnoses[0].fixes)


def test_a_check_that_windows_has_no_means_for_is_not_shown() -> None:
    log = b'OSError: [WinError 126] Error loading "D:\\envs\\t\\lib\\site-packages\\torch\\lib\\fbgemm.dll"\n'
    found = explain(log).diagnoses[0]
    assert found.fixes
    assert not any("ldd" in (check.run or "") or "ldconfig" in (check.run or "") for check in found.decide)


def test_a_traceback_that_is_cut_off_is_called_so() -> None:
    log = b'Traceback (most recent call last):\n  File "train.py", line 10, in <module>\n    main()\n'
    found = explain(log)
    report = found.report
    assert any("breaks off" in line.says for line in report.unexplained)
    assert found.write().startswith("? The traceback breaks off before the line that names the error")
    assert "new to logsense" not in found.write(verbose=True)
    assert "python.traceback" not in [one.signature for one in report.near]


@pytest.mark.parametrize(
    ("text", "make", "tool"),
    [
        (ON_AMD, "rocm", "rocm-smi"),
        (ON_AMD.replace("HIP out", "CUDA out"), None, "nvidia-smi"),
        (f"NVIDIA-SMI 535.104\nnvidia-smi\nCUDA error: x\n{ON_AMD}", None, "nvidia-smi"),  # more speaks for NVIDIA
    ],
)
def test_advice_names_the_tools_of_the_accelerator(text: str, make: str | None, tool: str) -> None:
    report = explain_text(text.encode(), load_catalog())
    fact = report.facts.get("log.device")
    assert (fact and fact.value) == make
    first = report.diagnoses[0].fixes[0]
    assert (first.run or "").startswith(tool)
    assert f"{tool} doesn't name" in first.do
    assert any("exclusive-process" in fix.do for fix in report.diagnoses[0].fixes) == (
        make is None
    )  # AMD has no such mode


def test_a_tpu_has_no_tools_and_variables_of_nvidia() -> None:
    log = (
        b"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory "
        b"in memory space hbm. Used 18.20G of 15.48G hbm. Exceeded hbm capacity by 2.72G.\n"
    )
    found = explain(log)
    assert found.report.facts["log.device"].value == "tpu"
    shown = " ".join(found.write(verbose=True).split())
    assert "a TPU with more memory" in shown
    assert "nvidia-smi" not in shown


def test_code_for_another_accelerator(built_in_catalog: Catalog) -> None:
    ascend = built_in_catalog.systems()["ascend"]
    assert for_system("torch.cuda.empty_cache()", ascend) == "torch.npu.empty_cache()"
    assert for_system("nvcc --version", ascend) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Error in library(torch) : there is no package called 'torch'", "r"),
        ("ERROR: LoadError: ArgumentError: Package Flux not found in current path", "julia"),
        ("ModuleNotFoundError: No module named 'torch'", None),
        ("Error in py_call_impl(f, x) : ModuleNotFoundError: No module named 'torch'", None),  # R that runs Python
    ],
)
def test_commands_of_another_language_are_left_out(text: str, language: str | None) -> None:
    report = explain_text(text.encode(), load_catalog())
    fact = report.facts.get("log.language")
    first = report.diagnoses[0]
    commands = [run for run in (*(fix.run for fix in first.fixes), *(check.run for check in first.decide)) if run]
    assert (fact and fact.value) == language
    assert any("python" in command for command in commands) == (language is None)
    assert first.fixes


def test_a_fix_for_a_message_of_the_language_is_in_that_language() -> None:
    report = explain_text(b"ERROR: LoadError: ArgumentError: Package Flux not found in current path", load_catalog())
    assert any((fix.run or "").startswith("julia ") for fix in report.diagnoses[0].fixes)


def test_fixes_for_another_language_are_told_where_there_is_nothing_else(write_catalog: Write) -> None:
    language = "system: demo\ntitle: Demo\nkind: language\nsource: https://example.org\nfound: [demo.full]\n"
    language += (
        "signs: [{holds: [memory], pattern: memory, samples: [memory], near_misses: [x]}]\ncommands: {lacks: [demo]}\n"
    )
    rule = FILES["rules/memory/capacity.yaml"]
    other = rule.replace(
        "  - do: Only for another framework.",
        "  - {do: Something else., risk: none}\n  - do: Only for another framework.",
    )
    for text, told in ((rule, ["Ask for less than 2 GiB."]), (other, ["Something else."])):
        catalog = write_catalog({**FILES, "rules/memory/capacity.yaml": text, "rules/_systems/demo.yaml": language})
        report = explain_text(b"memory full: asked 2 GiB of 8 GiB, free 1 GiB", catalog)
        assert [fix.do for fix in report.diagnoses[0].fixes] == told

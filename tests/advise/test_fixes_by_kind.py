"""First fixes for kinds of failures rather than single messages."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text
from tests.answers import assert_first_fix, first

TRACEBACK = """\
Traceback (most recent call last):
  File "/home/ana/train.py", line 20, in <module>
    step(batch)
  File "{file}", line 496, in all_reduce
    return backend.all_reduce(tensor, op)
AttributeError: 'NoneType' object has no attribute 'all_reduce'
"""
PACKAGES = "/opt/env/lib/python3.11/site-packages"


def test_a_none_in_a_librarys_own_code() -> None:
    log = TRACEBACK.format(file=f"{PACKAGES}/deepspeed/comm/comm.py")
    assert_first_fix(log, "Upgrade deepspeed, or return to the release that worked", "pip install --upgrade deepspeed")
    assert "returned nothing" not in first(log).explanation


@pytest.mark.parametrize("file", ["/home/ana/comm.py", f"{PACKAGES}/pandas/core/frame.py"])
def test_a_none_that_may_be_the_users(file: str) -> None:
    assert not first(TRACEBACK.format(file=file)).fixes[0].do.startswith("Upgrade")


def test_a_kernel_that_a_ggml_build_lacks() -> None:
    log = (
        "ggml_cuda_compute_forward: RMS_NORM failed\n"
        "CUDA error: no kernel image is available for execution on the device\n"
        "  current device: 0, in function ggml_cuda_compute_forward at ggml/src/ggml-cuda.cu:2963\n"
        "ggml/src/ggml-cuda.cu:110: CUDA error\n"
    )
    assert_first_fix(log, "Rebuild the program in a clean build folder", "CMAKE_CUDA_ARCHITECTURES=native")


def test_a_crash_whose_python_line_the_log_shows() -> None:
    log = (
        "Fatal Python error: Segmentation fault\n\n"
        "Current thread 0x00007f35 (most recent call first):\n"
        '  File "/env/lib/python3.11/site-packages/decord/video_reader.py", line 175 in get_batch\n'
        '  File "/w/data.py", line 31 in __getitem__\n\n'
    )
    (fix,) = first(log).fixes
    assert fix.do.startswith("Start with what get_batch in")


@pytest.mark.parametrize("message", ["Invalid learning rate: -1", "Invalid device string: 'gpu'"])
def test_a_value_that_is_refused_may_be_known(message: str) -> None:
    assert "doesn't accept the value" in first(f"ValueError: {message}\n").explanation


@pytest.mark.parametrize(
    ("image", "fix"),
    [
        ("reg.local/team/train:v9", "Compare reg.local/team/train:v9"),
        ("nvidia/cuda:11.0-base", "Look up the registry's"),
    ],
)
def test_an_image_that_the_registry_lacks(image: str, fix: str) -> None:
    assert_first_fix(f'failed to resolve reference "{image}": {image}: not found\n', fix, "")


def test_a_download_that_the_folder_refuses() -> None:
    log = "run.py: Permission denied\n\nCannot write to ‘run.py’ (Success).\n"
    assert first(log).cause == "storage.permission"
    assert first(log.partition("\n\n")[2]).cause == "storage.disk-full"


def test_fixes_that_stand_alone_stand_together() -> None:
    log = (
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n"
    )
    shown = [fix.do for fix in first(log).fixes[:2]]
    assert shown[0].startswith("Move the model once")
    assert shown[1].startswith("Create tensors in forward")


@pytest.mark.parametrize(("level", "causes"), [("DEBUG", 1), ("ERROR", 2)])
def test_what_is_logged_for_debugging_explains_no_other_failure(level: str, causes: int) -> None:
    log = (
        f"2026-06-26 12:06:15,114 {level} - HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded "
        "with url: /httpapi (Caused by NewConnectionError('<urllib3.connection.VerifiedHTTPSConnection object at "
        "0x7f2d>: Failed to establish a new connection: [Errno 111] Connection refused'))\n"
        "2026-06-26 12:06:15,117 INFO - Running the service on :5000\n"
        "Traceback (most recent call last):\n"
        '  File "serve.py", line 9, in <module>\n    run(app)\n'
        "OSError: [Errno 98] error while attempting to bind on address ('0.0.0.0', 5000): address already in use\n"
    )
    named = [one.cause for one in explain_text(log.encode(), load_catalog()).diagnoses]
    assert "distributed.port-in-use" in named
    assert ("network.hub-unreachable" in named) == (causes == 2)

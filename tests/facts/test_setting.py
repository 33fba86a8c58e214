"""The framework of a run is the one whose files, loggers and exceptions its messages name."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text

NO_HANDLE = "Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
NO_LIBRARY = "UNIMPLEMENTED: DNN library is not found."


@pytest.mark.parametrize(
    ("log", "framework", "command"),
    [
        (
            (
                f"2024-05-01 10:00:01.123456: E tensorflow/stream_executor/cuda/cuda_dnn.cc:373] {NO_HANDLE}"
                f"2024-05-01 10:00:01.133556: W tensorflow/core/framework/op_kernel.cc:1767] OP_REQUIRES failed at "
                f"conv_ops_fused_impl.h:697 : {NO_LIBRARY}\n"
            ),
            "tensorflow",
            "TF_FORCE_GPU_ALLOW_GROWTH=true",
        ),
        (
            (
                f"E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:527] {NO_HANDLE}"
                "Traceback (most recent call last):\n"
                '  File "train.py", line 9, in <module>\n    y = net(x)\n'
                f"jaxlib.xla_extension.XlaRuntimeError: {NO_LIBRARY}\n"
            ),
            "jax",
            "jax[cuda12]",
        ),
    ],
)
def test_xla_prints_the_same_for_two_frameworks(log: str, framework: str, command: str) -> None:
    report = explain_text(log.encode(), load_catalog())
    assert report.facts["framework"].value == framework
    commands = [fix.run or "" for fix in report.diagnoses[0].fixes]
    assert any(command in run for run in commands)
    other = "jax" if framework == "tensorflow" else "tensorflow"
    assert not any(f"import {other}" in run for run in commands)

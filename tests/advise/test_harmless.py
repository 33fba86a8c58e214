"""What stands beside a failure: harmless lines, and those that cost a run its GPU."""

from __future__ import annotations

import json

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.render.formats import render
from logsense.render.html import render_card
from logsense.render.layout import Look

WARNED = """\
W tensorflow/core/common_runtime/gpu/gpu_device.cc:1934] Cannot dlopen some GPU libraries. Please make sure the missing \
libraries mentioned above are installed properly if you would like to use GPU.
Skipping registering GPU devices...
"""
STEPS = "".join(f"Epoch {n}/9\n100/100 [=====] - 30s 300ms/step - loss: 0.{9 - n}\n" for n in range(1, 5))
RAISED = """\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    torch.zeros(1).cuda()
RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() \
that might have already set an error? Error 803: system has unsupported display driver / cuda driver combination
"""


def test_a_run_that_goes_on_without_its_gpu_is_no_failure(built_in_catalog: Catalog) -> None:
    report = explain_text((WARNED + STEPS).encode(), built_in_catalog, name="run.log")
    assert (report.outcome, report.diagnoses) == ("running", ())
    assert [(one.says, one.line) for one in report.without_gpu] == [
        ("TensorFlow won't use the GPU because libraries are missing", 1)
    ]
    assert json.loads(render(report, "json", Look()))["without_gpu"][0]["source"] == "run.log"


@pytest.mark.parametrize("form", ["text", "markdown", "html", "card", "prompt"])
def test_every_form_for_readers_tells_it(form: str, built_in_catalog: Catalog) -> None:
    def written(log: str) -> str:
        return (
            render_card(explain_text(log.encode(), built_in_catalog))
            if form == "card"
            else render(explain_text(log.encode(), built_in_catalog), form, Look())
        )

    assert "Running without the GPU" in written(WARNED + STEPS)
    assert "Running without the GPU" not in written(STEPS)


def test_a_failure_survived_on_the_cpu_is_not_called_harmless(built_in_catalog: Catalog) -> None:
    warned = "UserWarning: CUDA initialization: " + RAISED.splitlines()[-1].removeprefix("RuntimeError: ") + "\n"
    report = explain_text((warned + STEPS).encode(), built_in_catalog)
    assert report.outcome == "running"
    assert any("don't match" in one.says for one in report.without_gpu)
    assert not any("don't match" in one.says for one in report.noise)


def test_a_run_that_was_begun_anew_has_its_gpu_maybe(built_in_catalog: Catalog) -> None:
    assert explain_text((RAISED + STEPS).encode(), built_in_catalog).without_gpu == ()


@pytest.mark.parametrize(
    "failure",
    [
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1\n",
        STEPS + "FATAL ERROR: the qux zorked\n",
    ],
    ids=["known", "unknown"],
)
def test_a_failure_of_another_kind_is_told_alone(failure: str, built_in_catalog: Catalog) -> None:
    report = explain_text((WARNED + failure).encode(), built_in_catalog)
    assert (report.outcome, report.without_gpu) == ("failed", ())

"""Workflow commands for GitHub Actions."""

from __future__ import annotations

from logsense.model.report import Evidence, Report
from logsense.render.github import render_github
from tests.render.drafts import COMPLETED, FAILED, UNEXPLAINED


def test_a_failure() -> None:
    first, second = render_github(FAILED).splitlines()
    assert first.startswith(
        "::error title=Rank 3%3A GPU 3's memory is fragmented (81 %25 sure),file=train.log,line=1204::step 4,120 of"
    )
    assert "%0A%0AGPU 3 had 12.30 GiB in PyTorch's cache, but" in first
    assert "%0A1. Let PyTorch grow its segments instead of splitting fixed ones.%0A     export PYTORCH" in first
    assert second == (
        "::notice title=It may also be%3A The model and its batch need more memory than the GPU has::"
        "The peak of a step is above 79.15 GiB."
    )


def test_others() -> None:
    assert render_github(COMPLETED) == "::notice title=The run completed; no failure found::1,204 lines of train.log\n"
    unknown = render_github(UNEXPLAINED)
    assert unknown.startswith(
        "::error title=This failure is new to logsense,file=train.log,line=7::train.log:7%0A│ Frob"
    )
    assert "::No line gives a reason." in render_github(Report("failed"))


def test_a_log_gives_no_commands() -> None:
    proof = Evidence("x", "a,line=3:b.log", 1, "text\n::set-output name=x::y\r::stop-commands::t")
    lines = render_github(Report("failed", unexplained=(proof,))).splitlines()
    assert len(lines) == 1
    assert "file=a%2Cline=3%3Ab.log,line=1::" in lines[0]

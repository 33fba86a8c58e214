"""What the page of a message may show of a rule: conditions where only that message is known."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.cli.main import main
from logsense.cli.signatures import applies
from logsense.model.rule import Combined, Comparison, Condition, FactIs, Found, FrameworkIs, NotFound

OPEN = FactIs("oom.free", (Comparison("known", True),))
TORCH, PADDLE = FrameworkIs(("pytorch",)), FrameworkIs(("paddle",))
HERE, ELSEWHERE = Found(("pytorch.cuda-*",)), Found(("nccl.*",))


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ((), True),
        ((HERE,), True),
        ((ELSEWHERE,), False),
        ((TORCH, HERE), True),
        ((PADDLE,), False),
        ((OPEN,), None),
        ((OPEN, PADDLE), False),
        ((Found(("pytorch.cuda-*",), times=2),), None),
        ((NotFound(("nccl.*",)),), True),
        ((NotFound(("pytorch.*",)),), False),
        ((Combined("any", (PADDLE, HERE)),), True),
        ((Combined("any", (PADDLE, OPEN)),), None),
        ((Combined("any", (PADDLE, ELSEWHERE)),), False),
        ((Combined("all", (TORCH, OPEN)),), None),
        ((Combined("all", (PADDLE, OPEN)),), False),
        ((Combined("none", (PADDLE, ELSEWHERE)),), True),
        ((Combined("none", (PADDLE, TORCH)),), False),
        ((Combined("none", (PADDLE, OPEN)),), None),
    ],
)
def test_conditions(conditions: tuple[Condition, ...], expected: bool | None) -> None:
    assert applies(conditions, "pytorch.cuda-out-of-memory", load_catalog()) is expected


def test_a_program_of_no_framework_leaves_it_open() -> None:
    assert applies((TORCH,), "nccl.system-error", load_catalog()) is None


def test_the_page_of_a_message_begins_with_what_is_likely(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["signatures", "pytorch.cuda-out-of-memory", "--format", "markdown"]) == 0
    page = capsys.readouterr().out
    assert page.index("gpu-memory.capacity") < page.index("gpu-memory.library-init")
    assert "Paddle" not in page[page.index("## Fixes") : page.index("## Messages")]


def test_the_fixes_of_a_message_are_those_of_its_framework_and_usual_setting_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["signatures", "pytorch.cuda-out-of-memory"])
    said = capsys.readouterr().out
    fixes = said[said.index("Fixes") : said.index("Messages")]
    assert "expandable_segments" in fixes
    assert "Julia" not in fixes
    assert "TF_GPU_ALLOCATOR" not in fixes

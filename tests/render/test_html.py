"""One page, everything escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from logsense.model.report import Evidence, FactValue, NearMiss, Noise, Report
from logsense.render.html import render_html
from tests.render.drafts import COMPLETED, FAILED, FRAGMENTED, UNEXPLAINED, UNKNOWN

VOID = {"meta", "br"}


class Tags(HTMLParser):
    """Collects the tags, and checks that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "srcset")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags_of(page: str) -> set[str]:
    parser = Tags()
    parser.feed(page)
    assert not parser.open
    return parser.seen


@pytest.mark.parametrize("report", [FAILED, UNEXPLAINED, COMPLETED, UNKNOWN])
def test_well_formed_and_self_contained(report: Report) -> None:
    assert not tags_of(render_html(report)) & {"script", "link", "img", "iframe"}


def test_a_failure() -> None:
    page = render_html(FAILED)
    assert "<h1>GPU 3&#x27;s memory is fragmented</h1>" in page
    assert "<pre>export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True</pre>" in page
    assert 'href="https://docs.pytorch.org/docs/stable/notes/cuda.html"' in page


def test_hostile_text() -> None:
    nasty = "</pre></style><script>alert(1)</script>\"' onload=x \x1b[31m"
    proof = Evidence(nasty, nasty, 1, nasty, 1, nasty)
    diagnosis = FRAGMENTED._replace(
        title=nasty, explanation=nasty, evidence=(proof,), references=("javascript:alert(1)", f'https://e/"{nasty}')
    )
    page = render_html(Report("failed", (diagnosis,), facts={nasty: FactValue(nasty)}, noise=(Noise(nasty, 1, nasty),)))
    assert "script" not in tags_of(page)
    assert 'href="javascript' not in page
    assert "\x1b" not in page
    assert "script" not in tags_of(
        render_html(Report("failed", near=(NearMiss(nasty, nasty, 1),), unexplained=(proof,)))
    )

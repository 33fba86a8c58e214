"""One page, everything escaped."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from logsense.model.report import Attempt, Evidence, FactValue, Mark, NearMiss, Noise, RankRow, Report
from logsense.render.html import render_html
from tests.render.drafts import COMPLETED, FAILED, FRAGMENTED, UNEXPLAINED, UNKNOWN

VOID = {"meta", "br", "input"}


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


def scripts_of(page: str) -> list[str]:
    """The scripts of a page, each of which its policy must allow by its hash."""
    found = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    for script in found:
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in page
    assert page.count("<script") == len(found)
    return found


@pytest.mark.parametrize("report", [FAILED, UNEXPLAINED, COMPLETED, UNKNOWN])
def test_well_formed_and_self_contained(report: Report) -> None:
    page = render_html(report)
    assert not tags_of(page) & {"link", "img", "iframe"}
    assert len(scripts_of(page)) == 1


def test_a_failure() -> None:
    page = render_html(FAILED)
    assert "<h1 class=failed>Rank 3: GPU 3&#x27;s memory is fragmented</h1>" in page
    assert "<pre class=run>export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True</pre>" in page
    assert 'href="https://docs.pytorch.org/docs/stable/notes/cuda.html"' in page


def test_hostile_text() -> None:
    nasty = "</pre></style><script>alert(1)</script>\"' onload=x \x1b[31m"
    proof = Evidence(nasty, nasty, 1, nasty, 1, nasty)
    diagnosis = FRAGMENTED._replace(
        title=nasty, explanation=nasty, evidence=(proof,), references=("javascript:alert(1)", f'https://e/"{nasty}')
    )
    row = RankRow(1, nasty, True, (Mark("failure", nasty, 1.0, nasty, 1),))
    page = render_html(
        Report(
            "failed",
            (diagnosis,),
            facts={nasty: FactValue(nasty)},
            noise=(Noise(nasty, 1, nasty),),
            attempts=(Attempt(nasty, nasty),),
            ranks=(row, RankRow(2)),
        )
    )
    tags_of(page)
    assert scripts_of(page) == scripts_of(render_html(FAILED))
    assert 'href="javascript' not in page
    assert "\x1b" not in page
    unknown = render_html(Report("failed", near=(NearMiss(nasty, nasty, 1),), unexplained=(proof,)))
    tags_of(unknown)
    assert scripts_of(unknown) == scripts_of(page)

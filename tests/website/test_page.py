"""The page that recognizes messages, in a real browser, from a file, under the site's policy."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from tests.browser import BROWSER, rendered
from website.finish import policy
from website.pages import ROOT
from website.recognizer import Knowledge

pytestmark = pytest.mark.website

ASSETS = ROOT / "website" / "assets"
NASTY = "<img src=x onerror=\"document.title='it ran'\"></pre><script>document.title='it ran'</script>"
PASTE = f"step 1\nRuntimeError: CUDA error: device-side assert triggered {NASTY}\n" + "loss is fine, 0.1\n" * 198


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_a_paste_is_recognized_and_nothing_in_it_runs(known: Knowledge, tmp_path: Path) -> None:
    for name in ("recognize.js", "resemble.js", "paste.js"):
        shutil.copy(ASSETS / name, tmp_path)
    (tmp_path / "knowledge.js").write_text(known.script, "utf-8")
    (tmp_path / "driver.js").write_text(
        "const area = document.getElementById('rec-text');"
        f"area.value = {json.dumps(PASTE)};"
        "const recognize = makeRecognizer(logsenseKnowledge); recognize(area.value);"
        "const began = performance.now(); recognize(area.value);"
        "document.body.dataset.took = performance.now() - began;"
        "area.dispatchEvent(new Event('input'));"
    )
    form = re.findall(r"<form.*?</form>|<div id=.*?</div>", (ASSETS / "recognize.md").read_text("utf-8"), re.DOTALL)
    scripts = [
        f'<script src="{name}.js"></script>' for name in ("knowledge", "recognize", "resemble", "paste", "driver")
    ]
    body = "".join([*form, *scripts])
    page = tmp_path / "page.html"
    page.write_text(
        f'<!doctype html><html><head><meta charset="utf-8"><title>ours</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(body)}"></head><body>{body}</body></html>',
        encoding="utf-8",
    )
    seen = rendered(page, tmp_path / "profile", budget_ms=4000)
    assert "<title>ours</title>" in seen
    said = seen[seen.index('id="rec-found"') :]
    assert said.index("causes/") > said.index('href="messages/cuda.html#cuda.device-side-assert"') > 0
    assert "<img" not in said
    assert said.count("<script") == len(scripts)
    assert NASTY in unescape(re.sub(r"</?(?:mark|code)[^>]*>", "", said))
    took = re.search(r'data-took="([\d.]+)"', seen)
    assert took
    assert float(took[1]) < 2000, "a machine under load takes longer than the 200 ms that one at rest stays far below"

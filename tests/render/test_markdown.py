"""Markdown: what comes from a log can't leave its fence, format, link, or call people."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from logsense.model.report import Evidence, Report
from logsense.render.markdown import code, fence, prose, render_markdown
from tests.render.drafts import COMPLETED, FAILED, FRAGMENTED, OOM_LINE, UNEXPLAINED, UNKNOWN


def test_a_failure() -> None:
    text = render_markdown(FAILED)
    assert text.startswith(
        f"""\
## Rank 3: GPU 3's memory is fragmented

**81 % sure** · step 4,120 of 10,000 · 3 h 12 min after the start · last checkpoint: step 4,000 · run again: after the \
fix · `gpu-memory.fragmentation`

`train.log:1204 · rank 3 · node7`

```text
{OOM_LINE}
```

GPU 3 had 12.30 GiB in PyTorch's cache, but no single free block of 2 GiB: the memory is fragmented rather than full.

It may also be: The model and its batch need more memory than the GPU has (24 %)

1. Let PyTorch grow its segments instead of splitting fixed ones. — A growing segment needs no single free block of \
the full size.
"""
    )
    assert (
        """
- 12.30 GiB is reserved by PyTorch but unused, more than the 2 GiB asked for

- the request grew from 1.50 GiB to 2 GiB in the last 40 steps
"""
        in text
    )
    assert "2. Use a smaller batch and accumulate gradients. *(changes the training)*" in text
    assert (
        "- 24 %: The model and its batch need more memory than the GPU has (`gpu-memory.capacity`). To be sure: Run"
        in text
    )
    assert "**Where:** train.log:1204 · rank 3 · node7" in text
    assert "| `torch.version` | 2.5.1 |" in text
    assert text.endswith("</details>\n")


def test_others() -> None:
    assert render_markdown(COMPLETED) == "## The run completed; no failure found\n\n1,204 lines of train.log.\n"
    assert render_markdown(UNKNOWN).startswith("## No failure found")
    assert "Nearest known message:** The frob left its band (python.out-of-band)" in render_markdown(UNEXPLAINED)


@given(st.text(st.sampled_from("`~ab\n\r ")))
def test_no_text_ends_its_fence(text: str) -> None:
    lines = fence(text).split("\n")
    ticks = lines[0].removesuffix("text")
    assert set(ticks) == {"`"}
    assert lines[-1] == ticks
    assert not [line for line in lines[1:-1] if ticks in line]


@given(st.text(st.sampled_from("`ab "), min_size=1))
def test_no_text_ends_its_code(text: str) -> None:
    shown = code(text)
    ticks = re.match("`+", shown)
    assert ticks
    inside = shown[len(ticks[0]) : -len(ticks[0])]
    assert not re.search(f"(?<!`){ticks[0]}(?!`)", inside)


def test_prose_is_shown_as_it_is() -> None:
    assert prose("see <script>alert(1)</script> [x](http://e)") == (
        r"see \<script\>alert(1)\</script\> \[x\](http:<!-- -->//e)"
    )
    assert prose("call @all about #12 and GH-3") == "call @<!-- -->all about \\#<!-- -->12 and GH-<!-- -->3"
    assert prose("www.evil.example of octo/repo#3") == "www<!-- -->.evil.example of octo/repo\\#<!-- -->3"
    assert prose("PYTORCH_CUDA_ALLOC_CONF is _not_ *set*\n# now") == (
        r"PYTORCH_CUDA_ALLOC_CONF is \_not\_ \*set\* \# now"
    )
    assert prose("&lt;b&gt; & so on") == r"\&lt;b\&gt; & so on"
    assert prose("- no list") == r"\- no list"


def test_a_hostile_line() -> None:
    nasty = "```\n# owned @everyone <img src=x>"
    diagnosis = FRAGMENTED._replace(evidence=(Evidence(nasty, "a`b", 1, nasty),), fixes=(), decide=(), against=())
    text = render_markdown(Report("failed", (diagnosis,)))
    assert "````text\n```\n# owned @everyone <img src=x>\n````" in text
    assert "``a`b:1``" in text

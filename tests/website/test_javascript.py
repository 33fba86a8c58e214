"""Python's regexes mean the same in JavaScript."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from website.javascript import UntranslatedError, to_javascript

pytestmark = pytest.mark.website

NODE = shutil.which("node")
TEXTS = [
    "a1 b22", "Step 3/4", "STEP 3/4", "key='x'", 'key="x"', "x\ny", "y\nx\n", "  end", "a-b]c", "[7]", "x\n", "x", "}{,2}", "aXa", "nAn", "aXaX", "é",
]  # fmt: skip
REGEXES = [
    r"(?P<name>\w+)\s+b",
    r"(?i:step) (?P<at>\d+)/\d+",
    r"(?i)sTEP \d",
    r"(?m)^y",
    r"^x",
    r"(?m:^)[ \t]*end(?m:$)",
    r"x$",
    r"\Ax\Z",
    r"key=(?P<quote>['\"])x(?P=quote)",
    r"(?=(?P<_0>[^\n]{1,9}?))(?P=_0)-b",
    r"(?P<step>\w)(?P<at>x|X)\1",
    r"(?P<whole>(?P<one>[a-z])X)(?:(?P=one)|\1)",
    r"([a-z])(?:n|(X))\1",
    r"(?<!\w)a[-b]",
    r"[]c-]+c",
    r"\[(?P<n>[0-9]{,2})\]",
    r"(?i:[a-m]x[b-z]?)",
    r"(?i:n[^b-z\]]n)",
    r"[ab](?!-)",
]


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_they_match_the_same_places() -> None:
    program = """
    const [regexes, texts] = JSON.parse(require("fs").readFileSync(0, "utf8"));
    console.log(JSON.stringify(regexes.map(([regex, fold]) => texts.map((text) => {
      const found = new RegExp(regex, fold ? "mi" : "m").exec(text);
      return found && [found.index, found[0]];
    }))));
    """
    translated = [to_javascript(regex) for regex in REGEXES]
    assert NODE
    done = subprocess.run(
        [NODE, "-e", program], input=json.dumps([translated, TEXTS]),
        capture_output=True, text=True, check=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    for regex, row in zip(REGEXES, json.loads(done.stdout), strict=True):
        expected = [(found := re.search(regex, text)) and [found.start(), found[0]] for text in TEXTS]
        assert row == expected, regex
        assert any(row), f"no text tries {regex}"


@pytest.mark.parametrize("regex", [r"(a)?(?(1)b|c)", r"(?x: a )", r"a(?i)b"])
def test_what_javascript_lacks_is_refused(regex: str) -> None:
    with pytest.raises(UntranslatedError):
        to_javascript(regex)

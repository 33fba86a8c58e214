"""What is typed from memory, or cut short, finds the messages that it comes near to; prose finds none."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from website.pages import ROOT
from website.recognizer import Knowledge

NODE = shutil.which("node")
PROGRAM = """
const fs = require("fs"), vm = require("vm");
vm.runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const resembling = require(process.argv[2]).makeResembler(logsenseKnowledge);
const texts = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => resembling(text).map((one) => one.message.id))));
"""
pytestmark = [pytest.mark.website, pytest.mark.skipif(NODE is None, reason="needs node")]


def near(known: Knowledge, tmp_path: Path, texts: list[str]) -> list[list[str]]:
    (tmp_path / "knowledge.js").write_text(known.script, "utf-8")
    assert NODE
    done = subprocess.run(
        [NODE, "-e", PROGRAM, str(tmp_path / "knowledge.js"), str(ROOT / "website/assets/resemble.js")],
        input=json.dumps(texts), capture_output=True, text=True, check=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    found: list[list[str]] = json.loads(done.stdout)
    return found


def test_what_is_typed_from_memory(known: Knowledge, tmp_path: Path) -> None:
    asked = {
        "CUDA out of memory": "pytorch.cuda-out-of-memory",
        "segmentation fault": "generic.segmentation-fault",
        "tensors to be on same device, found cuda:0 and cpu": "pytorch.device-mismatch",
        "watchdog caught collective timeout": "c10d.watchdog-timeout",
        "mat1 and mat2 shapes can not be multiplied": "pytorch.matmul-shapes",
        "step 7\nloss 3\nstep 8\nRuntimeError: Unable to find valid cuDNN algorithm\n": "pytorch.no-valid-cudnn-algorithm",
    }
    for (text, wanted), found in zip(asked.items(), near(known, tmp_path, list(asked)), strict=True):
        assert wanted in found[:3], text


def test_prose_comes_near_to_nothing(known: Knowledge, tmp_path: Path) -> None:
    texts = [
        (ROOT / name).read_text("utf-8") for name in ("LICENSE", "SECURITY.md", "docs/running.md", "docs/design.md")
    ]
    plain = [re.sub(r"^```.*?^```|^#.*?$", "", text, flags=re.MULTILINE | re.DOTALL) for text in texts]
    prose = [part for text in plain for part in text.split("\n\n") if part.strip()]
    asked = [*prose, "my training does not work", "how do I install this?", "x", "???", "", "der die das"]
    assert [(text, found) for text, found in zip(asked, near(known, tmp_path, asked), strict=True) if found] == []

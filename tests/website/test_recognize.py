"""The page that recognizes messages: with what it knows, the messages' own samples are found, and prose is not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from website.message_frequency import samples
from website.pages import ROOT
from website.recognizer import Knowledge

pytestmark = pytest.mark.website

NODE = shutil.which("node")
RECOGNIZE = ROOT / "website" / "assets" / "recognize.js"
EACH = 12  # of the samples every so manieth is tried here; `node` takes its time to compile regexes
# Reads texts, one JSON string a line, and writes what is recognized in each.
PROGRAM = """
const fs = require("fs"), vm = require("vm");
vm.runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const recognize = require(process.argv[2]).makeRecognizer(logsenseKnowledge);
for (const line of fs.readFileSync(0, "utf8").split("\\n").filter(Boolean)) {
  const began = performance.now();
  const hits = recognize(JSON.parse(line));
  const rows = hits.map((hit) => [hit.message.id, hit.line, hit.minor, hit.message.causes.map((n) => logsenseKnowledge.causes[n][0])]);
  console.log(JSON.stringify([rows, performance.now() - began]));
}
"""

Hit = tuple[str, int, bool, list[str]]


@pytest.fixture(scope="module")
def script(known: Knowledge, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data file of the page."""
    path = tmp_path_factory.mktemp("site") / "knowledge.js"
    path.write_text(known.script, "utf-8")
    return path


def recognized(script: Path, texts: list[str]) -> list[list[Hit]]:
    assert NODE
    done = subprocess.run(
        [NODE, "-e", PROGRAM, str(script), str(RECOGNIZE)],
        input="\n".join(map(json.dumps, texts)), capture_output=True, text=True, check=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    return [[(row[0], row[1], row[2], row[3]) for row in json.loads(line)[0]] for line in done.stdout.splitlines()]


def referring_back() -> set[str]:
    """The messages with a pattern that repeats a part of itself, which the two languages write differently."""
    catalog = load_catalog()
    each = map(catalog.signature, range(len(catalog.ids)))
    return {one.id for one in each if any(re.search(r"\\[1-9]|\(\?P=(?!_)", pattern.regex) for pattern in one.match)}


def test_every_pattern_is_there_and_small(known: Knowledge) -> None:
    assert known.left_out == {}
    assert len(known.script.encode()) < 620 * len(load_catalog().ids)
    data = json.loads(known.script.removeprefix("var logsenseKnowledge=").rstrip(";\n"))
    assert [one[0] for one in data["messages"]] == list(load_catalog().ids)
    assert [one[0] for one in data["causes"]] == list(load_catalog().causes)


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_samples_find_their_message_first(script: Path) -> None:
    each = [one for one in samples() if not one.near]
    names = referring_back()
    back = [one for one in each if one.id in names]
    assert back
    tried = [*each[::EACH], *back]
    found = recognized(script, [one.text for one in tried])
    missing = [one for one, hits in zip(tried, found, strict=True) if one.id not in [hit[0] for hit in hits]]
    assert missing == []
    first = sum(hits[0][0] == one.id for one, hits in zip(tried, found, strict=True))
    assert first / len(tried) >= 0.96


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_near_misses_do_not_find_it(script: Path) -> None:
    tried = [one for one in samples() if one.near][::EACH]
    found = recognized(script, [one.text for one in tried])
    assert [one for one, hits in zip(tried, found, strict=True) if one.id in [hit[0] for hit in hits]] == []


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_prose_finds_nothing(script: Path) -> None:
    texts = [
        (ROOT / name).read_text("utf-8")
        for name in ("LICENSE", "CONTRIBUTING.md", "docs/design.md", "SECURITY.md", "docs/running.md")
    ]
    prose = [
        part
        for text in texts
        for part in re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).split("\n\n")
    ]
    found = recognized(script, prose)
    assert len(prose) > 80
    # A status of 0 that is mentioned is seen as the end of a run, as in a log; it is shown beside all else.
    failures = [[hit[0] for hit in hits if not hit[2]] for hits in found]
    assert [(text, names) for text, names in zip(prose, failures, strict=True) if names] == []


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_logs_as_they_are_printed(script: Path) -> None:
    log = (
        "2026-11-21 10:00:01,123 - INFO - trainer - step 10\r\n"
        "\x1b[31m[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total\x1b[0m\n"
        "[rank0]:[E1121 10:31:02 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=412, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600017 "
        "milliseconds before timing out.\n"
    )
    (hits,) = recognized(script, [log])
    shown = [(name, line) for name, line, minor, _ in hits if not minor]
    assert shown[0] == ("pytorch.cuda-out-of-memory", 2)
    assert ("c10d.watchdog-timeout", 3) in shown or any(line == 3 for _, line in shown[1:])
    assert "gpu-memory.capacity" in hits[0][3]


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_source_code_is_no_message(script: Path) -> None:
    code = 'raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")\nprint("Killed")'
    assert recognized(script, [code, ""]) == [[], []]


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_of_a_long_log_the_end_counts(script: Path) -> None:
    quiet = "step 17 of 90000, all is well with the optimizer\n" * 40_000
    failure = "RuntimeError: CUDA error: device-side assert triggered\n"
    early, late = recognized(script, [failure + quiet, quiet + failure])
    assert not [hit for hit in early if not hit[2]]
    assert (late[0][0], late[0][1]) == ("cuda.device-side-assert", 40_001)
    assert recognized(script, ["x" * 3_000_000]) == [[]]

"""Calls over MCP with arguments of every kind: an answer or a one-sentence error, and nothing outside `root`."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from functools import cache

from logsense.cli.mcp import Agent
from logsense.model.knowledge import Catalog
from logsense.util.errors import InputError
from tests.fuzz.seeds import texts
from tests.fuzz.targets.whole import catalog

OUTSIDE = "this stands outside of what may be read"


class _Agent(Agent):
    """Does not check for changed rules before each answer."""

    def _catalog(self) -> Catalog:
        return catalog()


@cache
def _folder() -> tuple[Agent, tempfile.TemporaryDirectory[str]]:
    top = tempfile.TemporaryDirectory()
    root = os.path.join(top.name, "root")
    os.mkdir(root)
    for path in (os.path.join(top.name, "secret.log"), os.path.join(top.name, "root.log")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"RuntimeError: {OUTSIDE}\n")
    with open(os.path.join(root, "train.log"), "wb") as log:
        log.write(texts()[0])
    os.symlink(os.path.join(top.name, "secret.log"), os.path.join(root, "link.log"))
    return _Agent(root), top


def seeds() -> list[bytes]:
    """Return calls as a client sends them."""
    paths = ["train.log", "../secret.log", "link.log", "/etc/passwd", "~/x", "", ".", "../root.log", "a\0b", "x" * 5000]
    asked: list[dict[str, object]] = [{"path": path} for path in paths]
    asked += [{"text": text.decode("utf-8", "replace"), "format": "json"} for text in texts()[:12]]
    asked += [{"run": run} for run in ("1", "-1", "999999999999", "9" * 5000, "../..", "x")]
    asked += [{"query": query} for query in ("nan", "gpu-memory.fragmentation", "../..", "", "\u202e")]
    asked += [{"format": "xml"}, {"path": "a", "text": "b"}]
    return [json.dumps(one).encode() for one in asked]


def run(data: bytes) -> None:
    """Make the call in `data`."""
    try:
        asked = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(asked, dict):
        return
    said = {key: value for key, value in asked.items() if isinstance(value, str)}
    agent, top = _folder()
    if "path" in said and not os.path.isabs(said["path"]):
        said["path"] = os.path.join(top.name, "root", said["path"])
    with suppress(InputError):
        if "query" in said:
            agent.causes(said["query"])
        else:
            path, text, asked_for = said.get("path", ""), said.get("text", ""), said.get("run", "")
            answer = agent.explain(path, text, asked_for, said.get("format", "text"))
            assert OUTSIDE not in answer or OUTSIDE in text, "a file beyond the root was read"

"""JSON lines, tables and notebooks in pieces: the text does not depend on the cuts."""

from __future__ import annotations

import json

from logsense.sources.stream import StreamedText
from tests.fuzz.seeds import logs


def seeds() -> list[bytes]:
    """Return real logs, wrapped in the supported ways."""
    found = []
    for text in logs()[:20]:
        lines = text.decode("utf-8", "replace").split("\n")[:12]
        docker = [{"log": line + "\n", "stream": "stderr", "time": "2026-11-20T10:00:00.1Z"} for line in lines]
        loggers = [
            {"ts": 1763632800.25, "level": 40, "msg": line, "rank": 3, "exc_info": line, "v": 0} for line in lines
        ]
        cells = [
            {"cell_type": "code", "outputs": [{"text": lines}, {"traceback": lines}, {"data": {"text/plain": "x"}}]}
        ]
        found += [b"\n".join(json.dumps(entry).encode() for entry in entries) for entries in (docker, loggers)]
        found += [json.dumps({"nbformat": 4, "cells": cells}, indent=indent).encode() for indent in (None, 1)]
        found += [json.dumps(docker).encode(), json.dumps(loggers, indent=2).encode()]
        events = [{"version": 2, "width": 80}, *([0.1, "o", f"{line}\r\n"] for line in lines)]
        found.append(b"\n".join(json.dumps(event).encode() for event in events))
        found.append(b"time,level,message\n" + b"\n".join(f'2026,INFO,"{line}"'.encode() for line in lines))
        found += [text.decode("utf-8", "replace").encode(encoding) for encoding in ("utf-16", "utf-16-le", "utf-32")]
    return found


def run(data: bytes) -> None:
    """Unwrap `data` whole and in two pieces."""
    whole, cut = StreamedText(), StreamedText()
    text = whole.feed(data) + whole.finish()
    middle = len(data) // 2
    assert cut.feed(data[:middle]) + cut.feed(data[middle:]) + cut.finish() == text, "a cut changes the text"

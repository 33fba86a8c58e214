"""Lines of a time, a tag and an object are read as what the object says."""

from __future__ import annotations

import pytest

from logsense.sources.file import unwrap_step
from logsense.unwrap import json_lines


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            b'2026-03-07 22:58:31.100 +0000 kube.train: {"log":"a \\"b\\"\\n","stream":"stderr"}\n',
            b'2026-03-07 22:58:31.100 stderr F a "b"\n',
        ),
        (b'2026-03-07T22:58:31Z\tdocker.train\t{"message":"hello"}\n', b"2026-03-07T22:58:31Z hello\n"),
        (b'[3] tail.0: [[1772924311.5, {}], {"log":"hello"}]\n', b"1772924311.500000 hello\n"),
        (b'[3] tail.0: [1772924311.5, {"log"=>"hello"}]\n', b"1772924311.500000 hello\n"),
    ],
)
def test_what_the_object_says(line: bytes, said: bytes) -> None:
    assert json_lines.begins(line * 3)
    assert json_lines.step(line).feed(line + b"something else\n") == said + b"something else\n"


@pytest.mark.parametrize(
    "head",
    [
        b'2026-03-07 22:58:31 INFO metrics: {"loss": 2.5, "step": 3}\n' * 3,
        b'2026-03-07 22:58:31 INFO sent {"message": "x"}\n' + b"2026-03-07 22:58:32 INFO step\n" * 5,
        b'{"broken": \n',
        b'rest.Error: POST https://api.lan/add failed with status code 400: {"msg":"invalid api key"}\n',
        b'2026-03-07 22:58:31 ERROR POST https://api.lan/add gave status code 400: {"msg":"invalid api key"}\n',
    ],
)
def test_other_logs_are_left_alone(head: bytes) -> None:
    assert unwrap_step(head) is None

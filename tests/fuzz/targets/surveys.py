"""The database of a survey, damaged, and SQL queries: rows or a one-sentence error, never a change."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache

from logsense.survey.store import Store, query
from logsense.util.errors import InputError

QUESTIONS = [
    *("SELECT * FROM jobs", "SELECT count(*) FROM jobs GROUP BY cause", "DROP TABLE jobs", "DELETE FROM jobs"),
    *("SELECT 1; SELECT 2", "PRAGMA writable_schema=1", "ATTACH '/tmp/x' AS y", "WITH RECURSIVE n(a) AS (SELECT 1)"),
    *("SELECT load_extension('x')", "SELECT writefile('x', 'y')", "VACUUM INTO 'x'", "", ";", "SELECT '\0'"),
]


@cache
def _kept() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "survey.sqlite")
        Store(path).close()
        with open(path, "rb") as file:
            return file.read()


def seeds() -> list[bytes]:
    """Return queries after an S, files after an F."""
    return [*(b"S" + one.encode() for one in QUESTIONS), b"F" + _kept(), b"F", b"FSQLite format 3\0"]


def run(data: bytes) -> None:
    """Run the query on an intact file, or open the damaged one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "survey.sqlite")
        is_file = data[:1] == b"F"
        with open(path, "wb") as file:
            file.write(data[1:] if is_file else _kept())
        with suppress(InputError):
            if is_file:
                store = Store(path)
                try:
                    store.known([], "key")
                finally:
                    store.close()
            query(path, "SELECT * FROM jobs" if is_file else data[1:].decode("utf-8", "replace"))
        if not is_file:
            with open(path, "rb") as file:
                assert file.read() == _kept(), "a question changed the file"
        assert {name.partition("-")[0] for name in os.listdir(folder)} <= {"survey.sqlite"}, (
            "something else was written"
        )

"""What was read is kept, and may be asked, but not changed, in SQL."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from logsense.model.survey import JobRow
from logsense.survey.find import Task
from logsense.survey.store import Store, query
from logsense.util.errors import InputError

TASK = Task("/logs/a.log", ("/logs/a.log",), "stamp", 10, 0.0)
ROWS = [
    JobRow(
        "/logs/a.log", "failed", "gpu-memory.fragmentation", "title", 0.875, 3, "node7", gpu_hours_lost=12.5, line=7
    ),
    JobRow("/logs/b\\xff.log", "unreadable", problem="can't"),
]


def test_what_was_kept_comes_back_until_the_files_or_the_knowledge_change(tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "survey.db")
    store = Store(path)
    store.save([(TASK, ROWS)], "key")
    store.close()
    store = Store(path)
    assert store.known([TASK], "key") == {TASK.name: ROWS}
    assert store.known([TASK._replace(stamp="other")], "key") == {}
    assert store.known([TASK], "newer") == {}
    store.save([(TASK, ROWS[:1])], "newer")
    assert store.known([TASK], "newer") == {TASK.name: ROWS[:1]}
    store.close()
    assert os.stat(path).st_mode & 0o077 == 0


def test_undecodable_names(tmp_path: Path) -> None:
    task = TASK._replace(name=os.fsdecode(b"/logs/\xff.log"))
    store = Store(str(tmp_path / "survey.db"))
    store.save([(task, ROWS)], "key")
    assert store.known([task], "key") == {task.name: ROWS}
    store.close()


def test_questions(tmp_path: Path) -> None:
    path = str(tmp_path / "it's 100%?#.db")
    store = Store(path)
    store.save([(TASK, ROWS)], "key")
    assert query(path, "SELECT host, sum(gpu_hours_lost) AS lost FROM jobs WHERE host NOT NULL GROUP BY 1") == (
        ["host", "lost"],
        [("node7", 12.5)],
    )
    assert query(path, "WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n WHERE x < 3) SELECT max(x) FROM n")[
        1
    ] == [(3,)]
    store.close()


@pytest.mark.parametrize(
    "question",
    [
        "DELETE FROM jobs", "DROP TABLE jobs", "UPDATE jobs SET cause = NULL", "ATTACH DATABASE '/tmp/x.db' AS x",
        "PRAGMA user_version = 7", "SELECT 1; SELECT 2", "SELECT load_extension('x')", "SELEC", "", "\0",
        "SELECT * FROM nothing", "VACUUM INTO '/tmp/x.db'",
    ],
)  # fmt: skip
def test_only_reading(tmp_path: Path, question: str) -> None:
    path = str(tmp_path / "survey.db")
    store = Store(path)
    store.save([(TASK, ROWS)], "key")
    store.close()
    if question:
        with pytest.raises(InputError, match="the query failed"):
            query(path, question)
    else:
        assert query(path, question) == ([], [])
    store = Store(path)
    assert store.known([TASK], "key") == {TASK.name: ROWS}
    store.close()


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    with pytest.raises(InputError, match="can't use"):
        Store(str(path))
    assert path.read_text().startswith("not a database")
    with pytest.raises(InputError, match="can't use"):
        Store(str(path / "below.db"))
    other = tmp_path / "other.db"
    base = sqlite3.connect(other)
    base.execute("CREATE TABLE people (name TEXT)")
    base.close()
    with pytest.raises(InputError, match="it is not a logsense database"):
        Store(str(other))
    with pytest.raises(InputError, match="holds no survey yet"):
        query(str(tmp_path / "nothing.db"), "SELECT 1")


def test_an_older_schema_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "survey.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE jobs (old TEXT)")
    base.execute("CREATE TABLE tasks (old TEXT)")
    base.execute("PRAGMA user_version = 0")
    base.commit()
    base.close()
    store = Store(str(path))
    assert store.known([TASK], "key") == {}
    store.close()


@pytest.mark.parametrize(
    ("limit", "value", "says"), [("QUERY_S", 0.0, "takes longer than 0 s"), ("MOST_ROWS", 1000, "more than 1,000 rows")]
)
def test_a_query_that_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, says: str
) -> None:
    monkeypatch.setattr(f"logsense.survey.store.{limit}", value)
    path = str(tmp_path / "survey.db")
    Store(path).close()
    with pytest.raises(InputError, match=says):
        query(path, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n")

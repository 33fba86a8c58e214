"""Store the rows of surveys in a SQLite file: the next survey reads only new logs, and users can query it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import get_args, get_type_hints
from urllib.request import pathname2url

from logsense.model.survey import JobRow
from logsense.survey.find import Task
from logsense.survey.read import storable_text
from logsense.util.errors import InputError

SCHEMA_VERSION = 2  # increase when the tables change: older files are emptied
SIGNAL_CHECK_STEPS = 100_000  # of SQLite's virtual machine
BUSY_S = 30.0  # how long to wait for another survey
QUERY_S, MOST_ROWS = 60.0, 1_000_000  # how long a query may take, and how much it may give
_KINDS = {int: "INTEGER", float: "REAL", str: "TEXT"}
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


class Store:
    """The rows of all tasks read so far, with the stamp of the task's files and the key of the catalog."""

    def __init__(self, path: str | None) -> None:
        """Open or create the file at `path`; None stores in memory. Raise InputError if it can't be used."""
        self._path = path
        try:
            if path:
                os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._base = sqlite3.connect(path or ":memory:", timeout=BUSY_S)
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"can't use {path}: {_why(error)}") from None
        try:
            self._prepare()
        except sqlite3.Error as error:
            self._base.close()
            raise InputError(f"can't use {path}: {_why(error)}") from None

    def known(self, tasks: Iterable[Task], catalog_key: str) -> dict[str, list[JobRow]]:
        """Return the rows, by name, of the `tasks` whose files and catalog are unchanged."""
        found: dict[str, list[JobRow]] = {}
        is_known = "SELECT 1 FROM tasks WHERE task = ? AND stamp = ? AND catalog = ?"
        rows = f"SELECT {', '.join(JobRow._fields)} FROM jobs WHERE task = ? ORDER BY rowid"  # noqa: S608
        try:
            for task in tasks:
                if self._base.execute(is_known, (storable_text(task.name), task.stamp, catalog_key)).fetchone():
                    found[task.name] = [JobRow(*row) for row in self._base.execute(rows, (storable_text(task.name),))]
        except sqlite3.Error as error:
            raise InputError(f"can't read {self._path}: {_why(error)}") from None
        return found

    def save(self, done: Sequence[tuple[Task, Sequence[JobRow]]], catalog_key: str) -> None:
        """Store the rows of tasks, replacing older ones. Raise InputError if the file can't be written."""
        insert = f"INSERT INTO jobs VALUES ({', '.join('?' * (len(JobRow._fields) + 1))})"  # noqa: S608
        try:
            with self._base:
                for task, rows in done:
                    self._base.execute("DELETE FROM jobs WHERE task = ?", (storable_text(task.name),))
                    self._base.execute(
                        "INSERT OR REPLACE INTO tasks VALUES (?, ?, ?)",
                        (storable_text(task.name), task.stamp, catalog_key),
                    )
                    self._base.executemany(insert, [(storable_text(task.name), *row) for row in rows])
        except sqlite3.Error as error:
            raise InputError(f"can't write {self._path}: {_why(error)}") from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _prepare(self) -> None:
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if version == SCHEMA_VERSION:
            return
        others = self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if not {name for (name,) in others} <= {"tasks", "jobs"}:
            raise sqlite3.DatabaseError("it is not a logsense database")
        kinds = get_type_hints(JobRow)
        columns = [f"{name} {_KINDS[(get_args(kinds[name]) or (kinds[name],))[0]]}" for name in JobRow._fields]
        with self._base:
            self._base.execute("DROP TABLE IF EXISTS jobs")
            self._base.execute("DROP TABLE IF EXISTS tasks")
            self._base.execute("CREATE TABLE tasks (task TEXT PRIMARY KEY, stamp TEXT, catalog TEXT)")
            self._base.execute(f"CREATE TABLE jobs (task TEXT, {', '.join(columns)})")
            self._base.execute("CREATE INDEX jobs_task ON jobs (task)")
            self._base.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def query(path: str, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """Run the SQL query `sql` on the file at `path`, read-only. Return the column names and the rows.

    Raise InputError if the query fails, would write, or the file can't be read.
    """
    if not os.path.exists(path):
        raise InputError(f"{path} holds no survey yet")
    try:
        base = sqlite3.connect(f"file:{pathname2url(os.path.abspath(path))}?mode=ro", uri=True, timeout=BUSY_S)
    except sqlite3.Error as error:
        raise InputError(f"can't read {path}: {_why(error)}") from None
    until_s = time.monotonic() + QUERY_S
    try:
        base.set_authorizer(_allow_reading)
        # That Python is called at all also lets Ctrl-C work.
        base.set_progress_handler(lambda: time.monotonic() > until_s, SIGNAL_CHECK_STEPS)
        answer = base.execute(sql)
        rows = answer.fetchmany(MOST_ROWS + 1)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        if time.monotonic() > until_s:
            raise InputError(f"the query takes longer than {QUERY_S:.0f} s") from None
        raise InputError(f"the query failed: {_why(error)}") from None
    finally:
        base.close()
    if len(rows) > MOST_ROWS:
        raise InputError(f"the answer has more than {MOST_ROWS:,} rows; add a LIMIT")
    return [column[0] for column in answer.description or ()], rows


def _allow_reading(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return "only SELECT is allowed" if "not authorized" in str(error) else str(error)

"""Keeps the rows of surveys in a SQLite file, so that the next one reads only what is new, and may be asked in SQL."""

from __future__ import annotations

import os
import sqlite3
from typing import get_args, get_type_hints

from logsense.model.survey import JobRow
from logsense.survey.row import storable_text
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from logsense.survey.find import Task

SHAPE = 2  # raise when the tables change: older files are begun anew
SIGNALS_EVERY = 100_000  # steps of SQLite's machine
BUSY_S = 30.0  # another survey may be writing
_KINDS = {int: "INTEGER", float: "REAL", str: "TEXT"}
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


class Store:
    """The rows of all tasks that were read, each with the stamp of its files and the key of the knowledge."""

    def __init__(self, path: str | None) -> None:
        """Opens the file at `path`, or makes it; None keeps all in memory. Raises InputError where it can't be used."""
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
        """The rows of those of `tasks` whose files are as they were when they were read with the same knowledge."""
        found: dict[str, list[JobRow]] = {}
        ask = "SELECT 1 FROM tasks WHERE task = ? AND stamp = ? AND catalog = ?"
        rows = f"SELECT {', '.join(JobRow._fields)} FROM jobs WHERE task = ? ORDER BY rowid"  # noqa: S608
        try:
            for task in tasks:
                if self._base.execute(ask, (storable_text(task.name), task.stamp, catalog_key)).fetchone():
                    found[task.name] = [JobRow(*row) for row in self._base.execute(rows, (storable_text(task.name),))]
        except sqlite3.Error as error:
            raise InputError(f"can't read {self._path}: {_why(error)}") from None
        return found

    def keep(self, done: Sequence[tuple[Task, Sequence[JobRow]]], catalog_key: str) -> None:
        """Puts the rows of tasks in place of those that were there. Raises InputError where it can't be written."""
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
        """Closes the file."""
        self._base.close()

    def _prepare(self) -> None:
        (shape,) = self._base.execute("PRAGMA user_version").fetchone()
        if shape == SHAPE:
            return
        others = self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if not {name for (name,) in others} <= {"tasks", "jobs"}:
            raise sqlite3.DatabaseError("it holds something else")
        kinds = get_type_hints(JobRow)
        columns = [f"{name} {_KINDS[(get_args(kinds[name]) or (kinds[name],))[0]]}" for name in JobRow._fields]
        with self._base:
            self._base.execute("DROP TABLE IF EXISTS jobs")
            self._base.execute("DROP TABLE IF EXISTS tasks")
            self._base.execute("CREATE TABLE tasks (task TEXT PRIMARY KEY, stamp TEXT, catalog TEXT)")
            self._base.execute(f"CREATE TABLE jobs (task TEXT, {', '.join(columns)})")
            self._base.execute("CREATE INDEX jobs_task ON jobs (task)")
            self._base.execute(f"PRAGMA user_version = {SHAPE}")


def ask(path: str, question: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """The names of the columns and the rows that `question`, an SQL query, gives; the file can't be changed by it.

    Raises InputError where it is no query or the file can't be read.
    """
    from urllib.request import pathname2url

    if not os.path.exists(path):
        raise InputError(f"no survey was kept in {path} yet")
    try:
        base = sqlite3.connect(f"file:{pathname2url(os.path.abspath(path))}?mode=ro", uri=True, timeout=BUSY_S)
    except sqlite3.Error as error:
        raise InputError(f"can't read {path}: {_why(error)}") from None
    try:
        base.set_authorizer(_only_reading)
        base.set_progress_handler(lambda: 0, SIGNALS_EVERY)  # lets Ctrl-C through
        answer = base.execute(question)
        return [column[0] for column in answer.description or ()], answer.fetchall()
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        raise InputError(f"the question can't be answered: {_why(error)}") from None
    finally:
        base.close()


def _only_reading(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return "only SELECT is allowed" if "not authorized" in str(error) else str(error)

"""A handler for Python's logging that explains the failures in a program's log."""

from __future__ import annotations

import logging
import sys
import time
from collections import deque
from collections.abc import Callable

from logsense.api import Explanation, adds_to_traceback, explain, explain_exception, look_at_process
from logsense.recorder.monitor_notes import is_first_report, reported_causes
from logsense.util.errors import IgnoredErrors

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MOST_RECORDS, MOST_RECORD_BYTES = 2000, 16_384
MOST_EXPLAINED = 5
# A program that retries forever must not be slowed down: after the first attempts, explain at most this often.
FIRST_ATTEMPTS, ATTEMPT_EVERY_S = 5, 10.0


class LogHandler(logging.Handler):
    """Keep the latest records; explain them when one has an exception or is critical, and when logging shuts down if
    there were other errors.

    logging.getLogger().addHandler(logsense.LogHandler())

    The explanation goes to standard error, or to `on_failure`. Each cause is reported once, five at most, and no
    exception is explained twice. `live` takes the state of this machine into account.
    """

    def __init__(
        self,
        level: int = logging.NOTSET,
        *,
        on_failure: Callable[[Explanation], object] | None = None,
        live: bool = True,
    ) -> None:
        super().__init__(level)
        self.setFormatter(logging.Formatter(FORMAT))
        self._records: deque[str] = deque(maxlen=MOST_RECORDS)
        self._on_failure, self._live = on_failure, live
        self._explained = self._attempts = 0
        self._attempted_s = 0.0
        self._pending = self._busy = False

    def emit(self, record: logging.LogRecord) -> None:
        """Add a record."""
        if self._busy or record.name.split(".")[0] == "logsense":
            return
        try:
            self._records.append(self.format(record)[:MOST_RECORD_BYTES])
        except Exception:  # noqa: BLE001 - as logging's own handlers do
            self.handleError(record)
            return
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and record.levelno >= logging.ERROR:
            if not isinstance(error, (KeyboardInterrupt, SystemExit)) and is_first_report(error):
                self._explain(error)
        elif record.levelno >= logging.CRITICAL:
            self._explain()
        elif record.levelno >= logging.ERROR:
            self._pending = True

    def close(self) -> None:
        """Explain the pending errors, and close the handler."""
        if self._pending:
            self._explain(closing=True)
        self._records.clear()
        super().close()

    def _explain(self, error: BaseException | None = None, *, closing: bool = False) -> None:
        now_s = time.monotonic()
        if self._explained >= MOST_EXPLAINED:
            return
        if self._attempts >= FIRST_ATTEMPTS and now_s - self._attempted_s < ATTEMPT_EVERY_S and not closing:
            self._pending = True
            return
        self._attempts, self._attempted_s = self._attempts + 1, now_s
        self._busy, self._pending = True, False
        with IgnoredErrors():
            found = explain_exception(error, look_at_process if self._live else None) if error else None
            if not (found and found.diagnoses):
                text = "\n".join(self._records).encode("utf-8", "replace")
                found = explain(text, live=self._live)
            if found and found.cause not in reported_causes and adds_to_traceback(found):
                self._explained += 1
                reported_causes.add(found.cause or "")
                self._show(found)
        self._busy = False

    def _show(self, found: Explanation) -> None:
        if self._on_failure:
            self._on_failure(found)
        elif sys.stderr is not None:
            sys.stderr.write(f"\n{found.write()}")
            sys.stderr.flush()

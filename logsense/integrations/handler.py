"""A handler for Python's logging that explains what the log of a program tells of."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import deque

from logsense.api import explain, look_at_us, of_exception, worth_telling
from logsense.recorder.monitor_notes import is_first_report, reported_causes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from logsense.api import Explanation

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MOST_RECORDS, MOST_RECORD_BYTES = 2000, 16_384
MOST_EXPLAINED = 5
# A program that retries for ever must not be held up at every turn: behind the first looks, one in so many seconds.
FIRST_LOOKS, LOOK_EVERY_S = 5, 10.0


class LogHandler(logging.Handler):
    """Keeps the latest records and explains them when one carries an exception or is critical, and, where errors were
    left without an explanation, when logging ends with the program.

    logging.getLogger().addHandler(logsense.LogHandler())

    The explanation goes to standard error, or to `on_failure`. Each cause is told once, five at most, and an exception
    that was explained elsewhere is not explained again. With `live`, the state of this machine counts too.
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
        self._explained = self._looks = 0
        self._looked_s = 0.0
        self._owed = self._busy = False

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record in."""
        if self._busy or record.name.split(".")[0] == "logsense":
            return
        try:
            self._records.append(self.format(record)[:MOST_RECORD_BYTES])
        except Exception:  # noqa: BLE001 - logging's own way with records that can't be written
            self.handleError(record)
            return
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and record.levelno >= logging.ERROR:
            if not isinstance(error, (KeyboardInterrupt, SystemExit)) and is_first_report(error):
                self._tell(error)
        elif record.levelno >= logging.CRITICAL:
            self._tell()
        elif record.levelno >= logging.ERROR:
            self._owed = True

    def close(self) -> None:
        """Explains the errors that are left, and ends."""
        if self._owed:
            self._tell(closing=True)
        self._records.clear()
        super().close()

    def _tell(self, error: BaseException | None = None, *, closing: bool = False) -> None:
        now_s = time.monotonic()
        if self._explained >= MOST_EXPLAINED:
            return
        if self._looks >= FIRST_LOOKS and now_s - self._looked_s < LOOK_EVERY_S and not closing:
            self._owed = True
            return
        self._looks, self._looked_s = self._looks + 1, now_s
        self._busy, self._owed = True, False
        try:
            found = of_exception(error, look_at_us if self._live else None) if error else None
            if not (found and found.diagnoses):
                text = "\n".join(self._records).encode("utf-8", "replace")
                found = explain(text, live=self._live)
            if found and found.cause not in reported_causes and worth_telling(found):
                self._explained += 1
                reported_causes.add(found.cause or "")
                self._show(found)
        except Exception:
            if os.environ.get("LOGSENSE_DEBUG"):
                raise
        finally:
            self._busy = False

    def _show(self, found: Explanation) -> None:
        if self._on_failure:
            self._on_failure(found)
        elif sys.stderr is not None:
            sys.stderr.write(f"\n{found.write()}")
            sys.stderr.flush()

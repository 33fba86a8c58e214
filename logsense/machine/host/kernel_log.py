"""Read the kernel's log, with a time on every line.

https://docs.kernel.org/core-api/printk-basics.html, /dev/kmsg: Documentation/ABI/testing/dev-kmsg
"""

from __future__ import annotations

import os
import time

from logsense.machine.programs import output_of
from logsense.util.files import AS_BYTES, system_root

LIMIT_S = 3.0
MOST_BYTES = 4 << 20
DEVICE = "dev/kmsg"
# One number holds facility and severity; the severity is in the lower three bits (7 is debug).
LEVELS, DEBUG = 8, 7


class KernelLog:
    """The kernel's messages of the last `since_s` seconds, and then new ones.

    The kernel's clock drifts from the machine's over weeks, so opening the log at the start of a job is safest.
    """

    def __init__(self, since_s: float, device: str | None = None) -> None:
        self._since_s: float | None = since_s
        self._began = time.monotonic() - since_s
        self._fd = -1
        if hasattr(os, "O_NONBLOCK"):  # otherwise reading would block at the end
            try:
                self._fd = os.open(
                    device or os.path.join(system_root(), DEVICE), os.O_RDONLY | os.O_NONBLOCK | AS_BYTES
                )
            except OSError:
                pass

    def new_lines(self) -> bytes:
        """Return the messages since the last call, each line with its time (ISO 8601) in front."""
        if self._fd < 0:
            return b""
        offset_s = time.time() - time.monotonic()
        since_s, self._since_s = self._since_s, None
        kept = []
        for record in self._records():
            head, _, message = record.partition(";")
            fields = head.split(",")
            if len(fields) < 3 or not fields[0].isdecimal() or not fields[2].isdecimal():
                continue
            at_s = int(fields[2]) / 1e6 + offset_s
            if int(fields[0]) % LEVELS < DEBUG and (since_s is None or time.time() - at_s <= since_s):
                stamp = _stamp(at_s)
                kept += [f"{stamp} {line}" for line in message.split("\n") if line and not line.startswith(" ")]
        return ("\n".join(kept) + "\n").encode("utf-8", "replace") if kept else b""

    def last_lines(self) -> bytes:
        """Return `new_lines`, or what journalctl or dmesg print if this user may not read the device."""
        if self._fd >= 0:
            return self.new_lines()
        return _printed_by_tool(time.monotonic() - self._began) if system_root() == "/" else b""

    def close(self) -> None:
        """Close the device."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _records(self) -> list[str]:
        records: list[str] = []
        size = 0
        try:
            while size < 16 * MOST_BYTES:
                try:
                    record = os.read(self._fd, 8192)
                except BrokenPipeError:
                    continue  # the kernel overwrote the next record
                if not record:
                    break
                size += len(record)
                records.append(record.decode("utf-8", "replace"))
        except OSError:
            pass  # no more records
        return records


def kernel_lines(since_s: float, device: str | None = None) -> bytes:
    """Return the kernel's messages of the last `since_s` seconds; none if this user may not read them."""
    log = KernelLog(since_s, device)
    try:
        return log.last_lines()
    finally:
        log.close()


def _printed_by_tool(since_s: float) -> bytes:
    """Return the messages from journalctl or dmesg, which may have more permissions."""
    for command in (
        ["journalctl", "-k", "--no-pager", "-o", "short-iso", "--since", f"-{max(int(since_s), 1)}s", "-q"],
        ["dmesg", "--time-format", "iso", "--since", f"{max(int(since_s), 1)} seconds ago"],
    ):
        printed = output_of(command, LIMIT_S)
        if printed:
            return printed[-MOST_BYTES:]
    return b""


def _stamp(at_s: float) -> str:
    from datetime import datetime, timezone

    return datetime.fromtimestamp(at_s, timezone.utc).astimezone().isoformat(timespec="milliseconds")

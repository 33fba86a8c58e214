"""Runs logsense as on a system without POSIX: without its modules and most of its functions in `os`.

What the standard library needs to work on this machine stays; `mypy --platform win32` checks the rest.
"""

from __future__ import annotations

import asyncio  # noqa: F401 - modules imported earlier stay complete
import concurrent.futures.process  # noqa: F401
import getpass  # noqa: F401
import multiprocessing.popen_spawn_posix  # noqa: F401
import os
import pathlib  # noqa: F401
import platform  # noqa: F401
import select
import shutil  # noqa: F401
import signal
import subprocess
import sys
import tempfile  # noqa: F401

import psutil  # noqa: F401

MODULES = ("curses", "fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
MISSING = {
    os: (
        "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "ST_RDONLY", "chown", "confstr", "ctermid", "fchmod", "fdatasync",
        "fork", "forkpty", "getgid", "getloadavg", "getpgid", "getpgrp", "getuid", "geteuid", "killpg", "mkfifo", "nice",
        "openpty", "posix_fadvise", "posix_spawn", "posix_spawnp", "pread", "register_at_fork", "sched_getaffinity",
        "sendfile", "set_blocking", "setpgid", "setsid", "statvfs", "sysconf", "tcgetpgrp", "tcsetpgrp", "ttyname",
        "uname",
    ),
    select: ("epoll", "poll"),
    signal: (
        "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU",
        "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGXFSZ", "alarm", "setitimer", "siginterrupt", "sigwait",
    ),
}  # fmt: skip


def strip() -> None:
    """Remove what only POSIX has."""
    vars(subprocess)["_USE_POSIX_SPAWN"] = False  # set at import
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in MISSING.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


if __name__ == "__main__":
    strip()
    from logsense.cli.entry import main

    sys.exit(main())

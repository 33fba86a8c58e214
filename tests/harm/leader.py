"""Stands in for a shell on a terminal: starts a command in the foreground or the background and reports how it ended.

Arguments: a folder, "front" or "back", the command. Its standard error goes to FOLDER/err.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def main(folder: str, where: str, *command: str) -> None:
    """Writes FOLDER/group as soon as the command runs and FOLDER/status when it has ended; waits for FOLDER/go."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    front = where == "front"

    def group() -> None:
        os.setpgid(0, 0)
        if front:
            os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)

    home = Path(folder)
    with (home / "err").open("wb") as err:
        process = subprocess.Popen(command, stderr=err, preexec_fn=group)
    (home / "group").write_text(str(process.pid))
    status = process.wait()
    os.tcsetpgrp(0, os.getpgrp())
    (home / "status.new").write_text(str(status))
    (home / "status.new").rename(home / "status")
    while not (home / "go").exists():
        time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])

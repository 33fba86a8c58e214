"""The entry point: pass a job through if one depends on this process, or run the command line."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.jobs.blocked_signals import block, unblock


def main() -> int:
    """Run the command line of this process and return the exit status."""
    block()
    import sys

    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_streams()
    from logsense.cli.fallback import job_behind, serve

    words: Sequence[str] = sys.argv[1:]
    job, rest = job_behind(words)
    if job:
        return serve(job, rest)
    unblock()
    from logsense.cli.main import main as command

    return command()


def _open_streams() -> None:
    """Open the null device for standard streams that were closed when the process started."""
    import os
    import sys

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115

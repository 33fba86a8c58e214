"""Tell on which command lines a job depends, and see them through: where all else fails, as `cat`, or as the job.

Nothing is imported here that could be broken.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from logsense.cli import FOR_ALL
from logsense.jobs.blocked_signals import unblock

CHUNK = 1 << 16
STATUS_NOT_FOUND = 127


def job_behind(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the kind of job that depends on the command line `words`, "run", "pipe" or "" for none, and its words."""
    if any(name.startswith("_LOGSENSE_COMPLETE") for name in os.environ):
        return "", words
    behind = _behind_run(words)
    if behind is not None:
        return "" if behind[:1] and behind[0] in FOR_ALL else "run", behind
    if _is_terminal(0) or any(word in FOR_ALL for word in words):
        return "", words
    try:
        return "pipe" if _is_pipe(words) else "", words
    except BaseException:  # noqa: BLE001 - whatever is wrong with us, a job may depend on it
        return "pipe" if is_from_job() and all(word.startswith("-") for word in words) else "", words


def _behind_run(words: Sequence[str]) -> Sequence[str] | None:
    """Return the options and the command of `run`, before which options may stand, too; None for another command."""
    if words[:1] == ["run"]:
        return words[1:]
    try:
        from logsense.cli.command_line import command_first

        command, rest = command_first(words, ("run",))
    except BaseException:  # noqa: BLE001
        return None
    return rest if command else None


def _is_pipe(words: Sequence[str]) -> bool:
    from logsense.cli.command_line import parse

    given, inputs, problems = parse(words)
    # Wrong options must not end a job.
    return not inputs and not given.get("newest") and (not problems or is_from_job())


def is_from_job() -> bool:
    """Return whether standard input comes from another program that is running."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def is_fed(limit_s: float) -> bool:
    """Return whether a program writes to standard input, or ends it, within `limit_s` seconds."""
    import select

    try:
        return is_from_job() and bool(select.select([0], [], [], limit_s)[0])
    except (OSError, ValueError):
        return False


def is_shared() -> bool:
    """Return whether who started us reads the same standard input: a shell its script, or a loop its lines."""
    try:
        theirs, ours = os.stat(f"/proc/{os.getppid()}/fd/0"), os.fstat(0)
    except OSError:
        return False
    return (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino)


def drain() -> None:
    """Read what is left of standard input, for the sake of who writes it."""
    try:
        while os.read(0, CHUNK):
            pass
    except OSError:
        return


def serve(job: str, words: Sequence[str]) -> int:
    """See the job through that depends on the command line `words`; return the exit status."""
    try:
        if job == "pipe":
            from logsense.cli.pipe import run
        else:
            from logsense.cli.run import run
        return run(words)
    except BaseException as error:  # noqa: BLE001 - whatever it is
        _say(f"nothing is explained ({type(error).__name__}: {error})")
    return _be_cat() if job == "pipe" else _become(words)


def _be_cat() -> int:
    """Pass the bytes on; signals are still held back."""
    while True:
        try:
            data = os.read(0, CHUNK)
        except OSError:
            return 0
        if not data:
            return 0
        try:
            while data:
                data = data[os.write(1, data) :]
        except OSError:
            continue  # nobody reads it, or a full disk: the job need not know


def _become(words: Sequence[str]) -> int:
    at = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
    command = list(words[words.index("--") + 1 :] if "--" in words[: at + 1] else words[at:])
    unblock()
    try:
        os.execvp(command[0], command)  # noqa: S606
    except (OSError, IndexError, ValueError) as error:
        _say(f"can't run it: {error}")
        return STATUS_NOT_FOUND


def _say(sentence: str) -> None:
    try:
        os.write(2, f"logsense: {sentence}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        pass


def _is_terminal(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False

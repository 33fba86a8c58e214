"""Runs the faulty programs of this folder and keeps their output.

    python tests/faults/run.py --python torch=/path/to/bin/python [--jobs 2] [NAME …]

Each program is in `<framework>/<name>.py` and begins with a few comments:

    # cause: code.shape-mismatch            the right causes, best first, separated by commas
    # advice: hidden, features              one of these words must be in the advice
    # ranks: 2                              run through torchrun with that many processes
    # limits: as=6000000000 nofile=64       resource limits of the process (names as in Python's `resource`)
    # env: NAME=value                       environment variables
    # args: --flag                          arguments of the program
    # kill: 15 after step 3                 send that signal once the text is printed

`tests/failing/<framework>--<name>.log` then holds the redirected output, `cases.yaml` what is known about it. Programs
in `tests/faults/<framework>` whose cause is `none` are correct: their logs go to `tests/healthy`.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
FAILING, HEALTHY = HERE.parent / "failing", HERE.parent / "healthy"
KEEP = 60_000


def header(program: Path) -> dict[str, str]:
    """Return the comments at the beginning of a program."""
    found = {}
    for line in program.read_text(encoding="utf-8").splitlines():
        if not (match := re.match(r"# (\w+): (.*)", line)):
            break
        found[match[1]] = match[2].strip()
    return found


def neutral(text: str, folder: str, python: Path) -> str:
    """Return the text with this machine's own paths replaced."""
    venv = str(python.parents[1])
    prefix = subprocess.run(
        [python, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True, check=True
    )
    for mine, usual in (
        (folder, "/home/user/project"),
        (venv, "/home/user/venv"),
        (prefix.stdout.strip(), "/usr"),
        (os.path.expanduser("~"), "/home/user"),
        (os.uname().nodename + ":", "node01:"),
    ):
        text = text.replace(mine, usual)
    text = re.sub(r"/tmp/torchinductor_\w+", "/tmp/torchinductor_user", text)
    return re.sub(r"^(\s*host\s*:\s*)\S+$", r"\1node01", text, flags=re.MULTILINE)


def run(program: Path, python: Path, limit: float) -> tuple[str, int]:
    """Return what the program printed, and how it ended."""
    about = header(program)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(program, f"{folder}/train.py")
        command = [str(python), "-u", "train.py"]
        if "ranks" in about:
            port = 20_000 + os.getpid() % 10_000 + int(time.monotonic() * 100) % 10_000
            command = [str(python), "-m", "torch.distributed.run", "--master-port", str(port)]
            command += ["--nproc-per-node", about["ranks"], "train.py"]
        command += shlex.split(about.get("args", ""))
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_", "CI"))}
        environ.update({"HF_HOME": f"{folder}/.cache/huggingface", "PYTHONDONTWRITEBYTECODE": "1"})
        environ["PATH"] = f"{python.parent}:{environ['PATH']}"
        for part in shlex.split(about.get("env", "").replace("$PWD", folder)):
            name, _, value = part.partition("=")
            environ[name] = value

        def restrict() -> None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for part in about.get("limits", "").split():
                name, value = part.split("=")
                which = getattr(resource, f"RLIMIT_{name.upper()}")
                resource.setrlimit(which, (int(value), int(value)))

        with open(f"{folder}/.output", "wb") as out:
            process = subprocess.Popen(
                command, cwd=folder, env=environ, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                preexec_fn=restrict, start_new_session=True,
            )  # fmt: skip
        began = time.monotonic()
        kill = about.get("kill")
        while process.poll() is None and time.monotonic() - began < limit:
            if kill:
                number, _, after = kill.partition(" after ")
                if after in Path(f"{folder}/.output").read_text(errors="replace"):
                    os.kill(process.pid, int(number))
                    kill = None
            time.sleep(0.1)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        text = Path(f"{folder}/.output").read_text(errors="replace")
        code = process.returncode
        # As a shell reports a process that a signal ended.
        if "ranks" not in about and code < 0 and -code in (4, 6, 7, 8, 9, 11, 15):
            text += f"{signal.strsignal(-code)}{' (core dumped)' if -code in (4, 6, 8, 11) else ''}\n"
        return neutral(text, folder, python), code


def shortened(text: str) -> str:
    """Return a log that is too long to keep without its middle."""
    if len(text) <= KEEP:
        return text
    return text[: KEEP // 3] + "\n" + text[-KEEP * 2 // 3 :].split("\n", 1)[1]


def keep(program: Path, python: Path, limit: float) -> None:
    """Write a program's log."""
    name, healthy = f"{program.parent.name}--{program.stem}", header(program)["cause"] == "none"
    text, code = run(program, python, limit)
    (HEALTHY if healthy else FAILING).joinpath(f"{name}.log").write_text(shortened(text), encoding="utf-8")
    print(f"{name}: exit {code}, {len(text)} characters", flush=True)


def known(program: Path) -> dict[str, Any] | None:
    """Return the entry of a program that has a log among the failures."""
    about, file = header(program), f"{program.parent.name}--{program.stem}.log"
    if not (FAILING / file).exists():
        return None
    start = f"torchrun --nproc-per-node {about['ranks']}" if "ranks" in about else "python"
    told: dict[str, Any] = {"file": file, "command": f"{start} train.py {about.get('args', '')}".rstrip()}
    told |= {key: about[key] for key in ("env", "limits") if key in about}
    told["causes"] = [cause.strip() for cause in about["cause"].split(",")]
    if "advice" in about:
        told["advice"] = [word.strip() for word in about["advice"].split(",")]
    return told


def main() -> None:
    """Run all programs, or those named."""
    options = argparse.ArgumentParser()
    options.add_argument("--python", action="append", default=[], help="FRAMEWORK=INTERPRETER")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--limit", type=float, default=120)
    options.add_argument("names", nargs="*")
    chosen = options.parse_args()
    pythons = {part.split("=")[0]: Path(part.split("=")[1]) for part in chosen.python}
    programs = [p for p in sorted(HERE.glob("*/*.py")) if p.parent.name in pythons]
    if chosen.names:
        programs = [p for p in programs if p.stem in chosen.names or p.parent.name in chosen.names]
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        list(pool.map(lambda p: keep(p, pythons[p.parent.name], chosen.limit), programs))
    listing = [told for program in sorted(HERE.glob("*/*.py")) if (told := known(program))]
    (FAILING / "cases.yaml").write_text(yaml.safe_dump(listing, sort_keys=False, width=120), encoding="utf-8")


if __name__ == "__main__":
    main()

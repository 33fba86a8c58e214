"""Run jobs on the Slurm of setup.sh, and check what logsense says about each: `python -m tests.real.slurm [NAME…]`.

With `--again`, the jobs of the last time are checked again without being run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

from tests.real.checks import LOGSENSE, ROOT, Checks, asked, explain

HERE = Path(__file__).parent
BASE = ROOT / "slurm"
JOBS, RECORDS = BASE / "jobs", BASE / "records"
USER = "trainer"
WAIT_S = 600
SACCT = "JobID,JobName%20,State%22,ExitCode,Elapsed,Timelimit,NodeList,MaxRSS,ReqMem"
os.environ["SLURM_CONF"] = str(BASE / "etc" / "slurm.conf")


def slurm(*command: str, user: bool = False, folder: Path | None = None) -> str:
    """Return what a command of Slurm prints."""
    before = ("runuser", "-u", USER, "--") if user else ()
    done = subprocess.run([*before, *command], capture_output=True, text=True, check=False, cwd=folder, timeout=60)
    return done.stdout + done.stderr


def submit(name: str, about: dict[str, Any]) -> str:
    """Submit a job; return its id."""
    folder = JOBS / name
    if folder.exists():
        subprocess.run(["rm", "-rf", str(folder)], check=True)
    folder.mkdir()
    task = f"/usr/bin/python3 {folder}/task.py"
    (folder / "task.py").write_bytes((HERE / "task.py").read_bytes())
    script = ["#!/bin/bash", f'PATH={ROOT}/venv/bin:$PATH TASK="{task}"', *about["script"]]
    (folder / "job.sh").write_text("\n".join([*script, ""]))
    (folder / "job.sh").chmod(0o755)
    subprocess.run(["chown", "-R", USER, str(folder)], check=True)
    options = [str(one) for one in about.get("sbatch", [])]
    job = slurm("sbatch", "--parsable", "-J", name, *options, "job.sh", user=True, folder=folder).strip().split(";")[0]
    if not job.isdigit():
        raise RuntimeError(f"{name}: {job}")
    return job


def state(job: str) -> str:
    """Return the states of a job and its array tasks in the queue; nothing once it ended."""
    return slurm("squeue", "-h", "-j", job, "-o", "%T") if job in slurm("squeue", "-h", "-o", "%A") else ""


def until(job: str, wanted: str) -> None:
    """Wait until a job is in the queue with the state `wanted`, or for `""` until it left it."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        now = state(job)
        if (wanted in now) if wanted else not now.strip():
            return
        time.sleep(1)
    raise TimeoutError(f"job {job} is {state(job)!r}, waited for {wanted!r}")


def harm(job: str, how: str) -> None:
    """Do to a job what its description says, once its tasks print."""
    until(job, "RUNNING")
    time.sleep(4)
    if how == "scancel":
        slurm("scancel", job)
    elif how == "scancel-step":
        slurm("scancel", f"{job}.0")
    elif how == "requeue":
        slurm("scontrol", "requeue", job)
    elif how == "preempt":
        other = slurm(
            "sbatch", "--parsable", "-p", "high", "-N2", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 5"
        )
        until(other.strip(), "")
    elif how in ("down", "drain"):
        slurm("scontrol", "update", "NodeName=n2", f"State={how.upper()}", "Reason=fan failure")
    if how in ("preempt", "requeue"):  # Slurm holds a requeued job for a while
        slurm("scontrol", "update", f"JobId={job}", "StartTime=now")
    if how in ("down", "drain"):
        until(job, "")
        slurm("scontrol", "update", "NodeName=n2", "State=RESUME")
        time.sleep(3)


def run(jobs: dict[str, Any]) -> None:
    """Run the jobs, those that need the nodes for themselves one by one, and keep their records."""
    RECORDS.mkdir(exist_ok=True)
    ids = {}
    for name, about in jobs.items():
        if about.get("alone"):
            continue
        ids[name] = submit(name, about)
    for name, job in list(ids.items()):
        if "then" in jobs[name]:
            harm(job, jobs[name]["then"])
    for job in ids.values():
        until(job, "")
    for name, about in jobs.items():
        if about.get("alone"):
            ids[name] = submit(name, about)
            harm(ids[name], about["then"])
            until(ids[name], "")
    time.sleep(5)  # until slurmdbd has them, and the epilogs ended
    for name, job in ids.items():
        entry = slurm("scontrol", "show", "job", job)
        (RECORDS / f"{name}.scontrol").write_text(entry)
        (RECORDS / f"{name}.sacct").write_text(slurm("sacct", "-j", job, f"--format={SACCT}"))


def check(name: str, about: dict[str, Any], checks: Checks) -> None:
    """Check every answer about a job."""
    folder, causes, rank = JOBS / name, about["causes"], about.get("rank")
    outputs = sorted(folder.glob("slurm-*.out"))
    if "array" in name:
        failing = outputs[2:3] if name == "array" else outputs[1:2]
        for one in outputs:
            checks.report(f"{name}: {one.name}", explain(one), causes if one in failing else [])
        outputs, parts = failing, []
    else:
        parts = sorted(folder.glob("out-*.log"))
        checks.report(f"{name}: log", explain(*outputs, *parts), causes, rank)
    report = explain(folder)
    checks.report(f"{name}: folder", report, causes, rank)
    if about.get("node"):
        hosts = [one["host"] for one in report["culprits"]] or [None]
        checks.check(f"{name}: folder, node", hosts == [about["node"]], f"{hosts}, expected {about['node']}")
    text = b"".join(path.read_bytes() for path in [*outputs, *parts])
    for kind in ("scontrol", "sacct"):
        records = (RECORDS / f"{name}.{kind}").read_bytes()
        done = explain(text + records)
        checks.report(f"{name}: with {kind}", done, causes)
    why = [path for path in outputs if path.with_name(path.name + ".why").exists()]
    checks.check(
        f"{name}: epilog",
        bool(why) == about.get("epilog", bool(causes)),
        f"explanations: {[path.name for path in why]}",
    )
    if about.get("last"):
        last = asked(("last", "--format", "json"), env={**os.environ, "XDG_STATE_HOME": str(folder / "state")})
        checks.report(f"{name}: last", last, causes, rank)


def survey(jobs: dict[str, Any], checks: Checks) -> None:
    """Check the rows of a survey over all jobs."""
    database = BASE / "survey.db"
    database.unlink(missing_ok=True)
    command = [*LOGSENSE, "survey", str(JOBS), "--format", "json", "--database", str(database), "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    rows = yaml.safe_load(done.stdout)["jobs"]
    for name, about in jobs.items():
        ours = [row for row in rows if Path(row["job"]).is_relative_to(JOBS / name) and "/state/" not in row["job"]]
        failed = [row for row in ours if row["outcome"] == "failed"]
        said = [(row["job"].rsplit("/", 1)[-1], row["outcome"], row["cause"], row["rank"], row["host"]) for row in ours]
        wanted = len(failed) == 1 and failed[0]["cause"] in about["causes"] if about["causes"] else ours and not failed
        checks.check(f"{name}: survey", bool(wanted), str(said))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    jobs = yaml.safe_load((HERE / "jobs.yaml").read_text())
    jobs = {name: about for name, about in jobs.items() if not arguments.names or name in arguments.names}
    if not arguments.again:
        run(jobs)
    checks = Checks()
    for name, about in jobs.items():
        try:
            check(name, about, checks)
        except RuntimeError as error:  # noqa: PERF203 - the other jobs go on
            checks.check(name, False, str(error))
    survey(jobs, checks)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())

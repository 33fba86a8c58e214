"""A task of a job: prints steps, and ends in the way that its arguments name.

task.py HOW [RANK [STEPS]]     only the task of that rank does it (default: every one)
"""

import os
import signal
import sys
import time

how, at_fault, steps = (*sys.argv[1:], *("", "any", "20")[len(sys.argv) - 1 :])
rank = int(os.environ.get("SLURM_PROCID", "0"))
ours = at_fault in ("", "any", str(rank))
print(f"task {rank} on {os.environ.get('SLURMD_NODENAME')} of job {os.environ.get('SLURM_JOB_ID')}", flush=True)


def save_and_leave(number: int, frame: object) -> None:
    print(f"got signal {number}, saving checkpoint to out/last.pt", flush=True)
    print("checkpoint saved, exiting", flush=True)
    sys.exit(0)


def fail() -> None:
    if how == "keyerror":
        print({"lr": 0.1}["learning_rate"])
    if how == "file":
        open("/data/shards/shard-0007.tar").close()
    if how == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "abort":
        os.abort()
    if how == "exit3":
        sys.exit(3)
    if how == "memory":
        kept = []
        while True:
            kept.append(b"x" * (10 << 20))
            time.sleep(0.02)
    if how == "once" and not os.environ.get("SLURM_RESTART_COUNT"):
        time.sleep(600)


if how == "signal":
    signal.signal(signal.SIGUSR1, save_and_leave)
for step in range(int(steps)):
    print(f"step {step}/{steps} loss {2.0 / (step + 1):.4f}", flush=True)
    time.sleep(0.2)
    if step == 5 and ours:
        fail()
if how in ("long", "signal"):
    time.sleep(600)
print("training finished", flush=True)

"""A program that reaches a limit of its machine: task.py WHAT [loud]. Unless loud, it prints nothing about the error."""

import os
import sys
import time
from multiprocessing import shared_memory

what, loud = sys.argv[1], "loud" in sys.argv
kept: list[object] = []


def reach() -> None:
    if what == "memory":
        while True:
            kept.append(b"x" * (4 << 20))
            time.sleep(0.01)
    if what == "child-memory":
        child = os.fork()
        if child == 0:
            while True:
                kept.append(b"x" * (4 << 20))
        _, status = os.waitpid(child, 0)
        sys.exit(1 if status else 0)
    if what == "disk":
        with open("ckpt/step_6.pt", "wb") as file:
            for _ in range(64):
                file.write(b"x" * (1 << 20))
    if what == "files":
        while True:
            kept.append(open("/dev/null"))  # noqa: SIM115 - they stay open
    if what == "shm":
        block = shared_memory.SharedMemory(create=True, size=16 << 20)
        assert block.buf is not None
        block.buf[:] = b"x" * (16 << 20)


for step in range(30):
    print(f"step {step}/30 loss {2.0 / (step + 1):.4f}", flush=True)
    time.sleep(0.1)
    if step == 6:
        try:
            reach()
        except (OSError, MemoryError):
            if loud:
                raise
            time.sleep(2)
            os._exit(1)
print("training finished", flush=True)

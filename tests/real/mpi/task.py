"""A rank of a job under mpirun: prints steps and sums a number over all ranks; one rank ends as the arguments say.

task.py HOW [RANK [torch]]     with "torch", PyTorch's Gloo adds the numbers up
"""

import os
import signal
import sys
import time

import numpy as np  # type: ignore[import-not-found,unused-ignore]

how, at_fault, backend = (*sys.argv[1:], *("", "0", "mpi4py")[len(sys.argv) - 1 :])
launcher = "OMPI_COMM_WORLD" if "OMPI_COMM_WORLD_RANK" in os.environ else "PMI"
rank, size = int(os.environ[f"{launcher}_RANK"]), int(os.environ[f"{launcher}_SIZE"])

if backend == "torch":
    import datetime

    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", f"tcp://127.0.0.1:{os.environ['PORT']}", datetime.timedelta(seconds=20), size, rank)
else:
    from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]

    rank = MPI.COMM_WORLD.rank


def total(value: float) -> float:
    if backend == "torch":
        tensor = torch.tensor([value])
        dist.all_reduce(tensor)
        return float(tensor.item())
    found = np.zeros(1)
    MPI.COMM_WORLD.Allreduce(np.array([value]), found)
    return float(found[0])


def fail() -> None:
    if how == "exit3":
        os._exit(3)
    if how == "abort":
        MPI.COMM_WORLD.Abort(7)
    if how == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "hang":
        time.sleep(1000)
    if how == "keyerror":
        print({"lr": 0.1}["learning_rate"])
    if how == "file":
        open("/data/shards/shard-0007.tar").close()
    if how == "truncate" and backend == "mpi4py":
        MPI.COMM_WORLD.Send(np.zeros(8), dest=(rank + 1) % size)


print(f"rank {rank} of {size} starts", flush=True)
for step in range(12):
    print(f"step {step}/12 loss {2.0 / (step + 1):.4f}", flush=True)
    time.sleep(0.1)
    if step == 5 and rank == int(at_fault):
        fail()
    if step == 5 and how == "truncate" and rank == (int(at_fault) + 1) % size:
        MPI.COMM_WORLD.Recv(np.zeros(2), source=int(at_fault))
    total(1.0)
print("training finished", flush=True)
if backend == "torch":
    dist.destroy_process_group()

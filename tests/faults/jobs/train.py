"""A job of several ranks, one of which does something wrong at some step: FAULT, FAULTY_RANK, FAULTY_STEP."""

import datetime
import logging
import os
import signal
import socket
import sys
import time

import torch.distributed as dist

import torch
from torch import nn

fault = os.environ["FAULT"]
rank = int(os.environ["RANK"])
skew_s = int(os.environ.get("SKEW", "0")) * (rank * 5 % 7 - 3)
by_hand = "BY_HAND" in os.environ  # gradients are summed up without DistributedDataParallel


class Skewed(logging.Formatter):
    def formatTime(self, record, datefmt=None):
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created + skew_s))


def break_something(model, x):
    if fault == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "exit":
        sys.exit(3)
    if fault == "file":
        open("/data/shards/shard-0007.tar")
    if fault == "shape":
        return torch.randn(8, 17)
    if fault == "disk":
        raise OSError(28, "No space left on device", "/checkpoints/step.pt")
    if fault == "hang":
        time.sleep(1000)
    if fault == "slow":
        time.sleep(20)
    if fault == "early":
        sys.exit(0)
    if fault == "desync":
        dist.broadcast(torch.zeros(3), src=rank)
    if fault == "memory":
        torch.empty(1 << 50)
    if fault == "port":
        taken = socket.create_server(("127.0.0.1", 0))
        socket.create_server(taken.getsockname())
    if fault == "index":
        nn.functional.cross_entropy(model(x), torch.full((8,), 9))
    return x


handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(Skewed(os.environ.get("FORMAT", "%(asctime)s INFO %(message)s").replace("RANK", str(rank))))
log = logging.getLogger("train")
log.addHandler(handler)
log.setLevel(logging.INFO)
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=180))
model = nn.Linear(16, 4)
if not by_hand:
    model = nn.parallel.DistributedDataParallel(model)
dist.barrier()
dist.distributed_c10d._set_pg_timeout(datetime.timedelta(seconds=6))
for step in range(60):
    x = torch.randn(8, 16)
    if rank == int(os.environ["FAULTY_RANK"]) and step == int(os.environ["FAULTY_STEP"]):
        x = break_something(model, x)
    loss = model(x).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            if by_hand:
                dist.all_reduce(parameter.grad, op=dist.ReduceOp.SUM)
            parameter -= 0.1 * parameter.grad / dist.get_world_size()
            parameter.grad = None
    if step % 5 == 0:
        log.info(f"step {step} loss {loss.item():.4f}")
    time.sleep(0.01)
log.info("done")
dist.destroy_process_group()

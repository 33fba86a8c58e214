"""Train on one GPU until the failure that is asked for: program.py WHAT [RANK]."""

import os
import sys
import time

import torch

what = sys.argv[1]
GIB = 1 << 30
GPU = torch.device("cuda", 0)
# Kernels that NVRTC compiles, so that no toolkit is needed. Each gets a buffer of floats.
KERNELS = {
    "illegal-access": 'extern "C" __global__ void fault(float *x) { x[1ull << 40] = 1.0f; }',
    "misaligned": 'extern "C" __global__ void fault(float *x) { *(double *)((char *)x + 1) = 1.0; }',
    "illegal-instruction": 'extern "C" __global__ void fault(float *x) { asm("trap;"); }',
    "launch-resources": 'extern "C" __global__ void fault(float *x) { x[threadIdx.x] = 1.0f; }',
}


def fail(kept: list[torch.Tensor]) -> None:
    free, total = torch.cuda.mem_get_info()
    if what == "too-large":
        torch.empty(2 * total, dtype=torch.uint8, device=GPU)
    if what == "leak":
        while True:
            kept.append(torch.empty(GIB // 4, dtype=torch.uint8, device=GPU))
            print(f"step {len(kept) + 5} loss 0.1", flush=True)
            time.sleep(0.05)
    if what == "fragmentation":  # halves of one large segment, of which every other one is free
        torch.empty(free - 2 * GIB, dtype=torch.uint8, device=GPU)
        pieces = [torch.empty(GIB // 2, dtype=torch.uint8, device=GPU) for _ in range(free // (GIB // 2) - 4)]
        del pieces[::2]
        torch.empty(3 * GIB, dtype=torch.uint8, device=GPU)
    if what == "other-process":
        torch.empty(total // 4, dtype=torch.uint8, device=GPU)
    if what == "cudnn":
        torch.nn.functional.conv2d(torch.zeros(1, 3, 8, 8, device=GPU), torch.zeros(4, 3, 3, 3, device=GPU))
    if what == "assert":
        torch.nn.functional.one_hot(torch.tensor([9], device=GPU), 4)
        torch.cuda.synchronize()
    if what == "nan":
        raise FloatingPointError(f"loss is {torch.log(torch.tensor(-1.0, device=GPU)).item()} at step 6")
    if what in KERNELS:
        kernel = torch.cuda._compile_kernel(KERNELS[what], "fault")
        threads = 4096 if what == "launch-resources" else 1
        kernel((1, 1, 1), (threads, 1, 1), (torch.zeros(4096, device=GPU),))
        torch.cuda.synchronize()


if what == "hold":  # memory, until the standard input ends
    held = torch.empty(int(0.9 * torch.cuda.mem_get_info()[0]), dtype=torch.uint8, device=GPU)
    print("holding", flush=True)
    sys.stdin.read()
    sys.exit()
if what == "hang":
    import datetime

    os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "1"
    torch.distributed.init_process_group("nccl", timeout=datetime.timedelta(seconds=20))
weight = torch.zeros(1024, 1024, device=GPU, requires_grad=True)
optimizer = torch.optim.SGD([weight], 0.1)
kept: list[torch.Tensor] = []
for step in range(12):
    loss = (weight @ torch.randn(1024, 64, device=GPU) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.4f}", flush=True)
    if what == "hang":
        if step == 5 and os.environ["RANK"] == "1":
            time.sleep(60)
        torch.distributed.all_reduce(loss.detach())
    elif step == 5:
        time.sleep(2)  # for the recorder's samples
        fail(kept)
print("training finished")

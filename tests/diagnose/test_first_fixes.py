"""The first fix is what an expert does first about this message, in its setting, with the numbers of the log."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text

POOL = """W tensorflow/core/common_runtime/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate \
512.00MiB (rounded to 536870912)requested by op ResourceApplyAdam
I tensorflow/core/common_runtime/gpu/gpu_device.cc:1929] Created device /job:localhost/replica:0/task:0/device:GPU:0 with \
{pool} MB memory:  -> device: 0, name: NVIDIA A100-SXM4-40GB, pci bus id: 0000:07:00.0, compute capability: 8.0
tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,512,512,8] and \
type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:AddV2]
"""
KV = (
    "ValueError: To serve at least one request with the models's max seq len (8192), (4.26 GiB KV cache is needed, which "
    "is larger than the available KV cache memory ({there} GiB). Try increasing `gpu_memory_utilization` or decreasing "
    "`max_model_len` when initializing the engine."
)
DDP = (
    "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. This error "
    "indicates that your module has parameters that were not used in producing loss.\n{tail}"
)


@pytest.mark.parametrize(
    ("log", "cause", "says"),
    [
        (POOL.format(pool=612), "gpu-memory.other-process", "Free the GPU before starting"),
        (POOL.format(pool=38000), "gpu-memory.capacity", "Use a smaller batch"),
        (
            "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 16 bytes.",
            None,
            "Check who uses",
        ),
        (
            "jax.errors.JaxRuntimeError: INTERNAL: Error dispatching computation: Out of memory allocating 68719476736 bytes.",
            "host-memory.allocation-failed",
            "Reduce memory use",
        ),
        (KV.format(there=4.25), "gpu-memory.kv-cache", "Use a slightly shorter context"),
        (DDP.format(tail=""), None, "Let DDP detect"),
        (
            DDP.format(tail="Parameters which did not receive grad for rank 0: a.weight, b.bias"),
            None,
            "Use the outputs of a.weight",
        ),
        (
            "RuntimeError: DataLoader worker (pid 7) is killed by signal: Segmentation fault. ",
            None,
            "Run once with num_workers=0",
        ),
        ("Epoch 2: 10%|# | 40/400 [01:00<09:00, 1.5s/it]\nKilled", "host-memory.oom-killed", "Keep less in RAM"),
        (
            "ValueError: Target modules {'q_proj'} not found in the base model. Please check the target modules",
            None,
            "Set target_modules",
        ),
    ],
)
def test_the_first_fix_fits_the_setting(log: str, cause: str | None, says: str) -> None:
    first = explain_text(log.encode(), load_catalog()).diagnoses[0]
    assert cause in (None, first.cause)
    assert first.fixes[0].do.startswith(says)


def test_a_rank_that_ends_before_the_others_gets_the_same_number_of_steps() -> None:
    step = "2026-01-05 10:00:0{n} [rank {rank}] INFO step {n}/{steps} loss 0.5\n"
    log = "".join(step.format(n=n, rank=rank, steps=40 - 15 * rank) for n in range(3) for rank in (0, 1))
    log += "2026-01-05 10:00:04 [rank 1] INFO training finished\n"
    log += '[rank0]: Traceback (most recent call last):\n[rank0]:   File "train.py", line 49, in <module>\n'
    log += "[rank0]:     loss.backward()\n"
    log += "[rank0]: RuntimeError: [third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.2]:4933.\n"
    log += "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
    first = explain_text(log.encode(), load_catalog()).diagnoses[0]
    assert first.cause == "distributed.collective-desync"
    assert first.fixes[0].do.startswith("Give every rank the same number of steps")

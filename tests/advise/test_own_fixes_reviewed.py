"""Messages whose own first fix was reviewed beside a sample: it comes first, and what it replaces is left out."""

from __future__ import annotations

import pytest

from tests.answers import assert_left_out, first

DEBUGGER, OTHER_LOGS = "python -m pdb", "Read the other ranks' logs"


@pytest.mark.parametrize(
    ("log", "fix", "unfit"),
    [
        (
            "RuntimeError: Caught RuntimeError in pin memory thread for device 0.",
            "Read the exception below this line, which",
            (DEBUGGER,),
        ),
        (
            "RuntimeError: The following operation failed in the TorchScript interpreter.",
            "Read the end of the interpreter's traceback",
            (DEBUGGER,),
        ),
        (
            "torch.multiprocessing.spawn.ProcessExitedException: process 3 terminated with exit code 1",
            "Read the output above: the process that",
            (OTHER_LOGS,),
        ),
        (
            "RuntimeError: Unable to find a valid cuDNN algorithm to run convolution",
            "Use a smaller batch or input: each",
            (),
        ),
        ("RuntimeError: CUDA error: context is destroyed", "Find the first CUDA error above it", (DEBUGGER,)),
        ("RuntimeError: CUDA error: driver shutting down", "Finish the threads and free the models", (DEBUGGER,)),
        ("RuntimeError: CUDA error: misaligned address", "Find the kernel with blocking launches, and", ()),
        ("RuntimeError: CUDA error: invalid device ordinal", "Print how many GPUs this process sees", ()),
        (
            "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1331, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.20.5",
            "Rerun with NCCL_DEBUG=WARN, whose line names the",
            (),
        ),
        (
            "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:410, invalid argument, NCCL version 2.4.2",
            "Rerun with NCCL_DEBUG=WARN, whose line names the",
            (),
        ),
        (
            "n4:51:60 [1] include/socket.h:361 NCCL WARN Call to connect timeout : Connection refused",
            "Read the other ranks' logs for the first",
            (),
        ),
        (
            "n2:41:90 [1] net_socket.cc:601 NCCL WARN NET/Socket : socket progress error",
            "Read the logs of the other ranks",
            (OTHER_LOGS,),
        ),
        (
            "n1:8:8 [0] NCCL WARN Net : No interface found in the same subnet as remote address 10.40.0.9<50321>",
            "Name an interface whose network every node",
            (),
        ),
        ("n1:1:2 [0] init.cc:2210 NCCL WARN Invalid device 3 (totalnDev=1)", "Start no more ranks per node than", ()),
        (
            "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.18.1\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nsocketStartConnect: Connect to 10.0.4.7<45012> failed : Software caused connection abort",
            "Check that 10.0.4.7<45012> is an address of",
            (),
        ),
        ("RuntimeError: Socket Timeout", "Check whether rank 0 still runs, because", ()),
        (
            "W0727 22:20:16.049000 66845 torch/distributed/elastic/multiprocessing/api.py:1010] Sending process 66943 closing signal SIGTERM",
            "Read the output above for the rank",
            (OTHER_LOGS,),
        ),
        (
            "[2025-03-01 09:10:11,100] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 40113",
            "Read the output above for the first",
            (OTHER_LOGS,),
        ),
        (
            "horovod.common.exceptions.HorovodInternalError: MPI_Allreduce failed, see MPI output for details.",
            "Read MPI's own output above, which says",
            (DEBUGGER,),
        ),
        (
            "ray.exceptions.ObjectLostError: Failed to retrieve object 00ffee11. To see information about where this ObjectRef was created in Python, set the environment variable RAY_record_ref_creation_sites=1 during `ray start` and `ray.init()`.\n\nAll copies of 00ffee11 have been lost due to node failure. Check cluster logs (`/tmp/ray/session_latest/logs`) for more information about the failure.",
            "Find out why the node or worker",
            (OTHER_LOGS,),
        ),
        (
            "tensorflow.python.framework.errors_impl.InternalError: Failed to create session.",
            "End your own earlier TensorFlow process or",
            (),
        ),
        ("Couldn't invoke ptxas --version", "Install ptxas, which XLA calls to compile", ()),
        ("cuBLAS error 3 at llama.cpp/ggml-cuda.cu:5552", "Leave free memory for cuBLAS: use a", ()),
        (
            "slurmstepd: error: *** JOB 88123 STEPD TERMINATED ON gpu7 AT 2025-03-01T10:00:00 DUE TO JOB NOT ENDING WITH SIGNALS ***",
            "Ask the administrators to look at gpu7",
            (),
        ),
        (
            "MPI_ABORT was invoked on rank 4 in communicator MPI_COMM_WORLD with errorcode 1.",
            "Read the output of the rank that",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "[gpu-2:00071] *** MPI_ERR_TRUNCATE: message truncated",
            "Give every rank the same count and",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "[1690000000.100000] [n2:90 :0] UCX ERROR failed: Connection reset by remote peer",
            "Read the output of the rank on",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "ConnectionResetError: [Errno 104] Die Verbindung wurde vom Kommunikationspartner zurückgesetzt",
            "Find the process at the other end",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "ERROR:root:DataLoader reader thread raised an exception!",
            "Read the exception above or below this",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "ValueError: (InvalidArgument) TCP receive error. Details: Connection reset by peer.",
            "Read the logs of all workers for",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "TypeError: tuple indices must be integers or slices, not DynamicJaxprTracer",
            "Keep traced values out of Python's indexing",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "[rank: 1] Child process with PID 41022 terminated with code -6. Forcefully terminating all other processes to avoid zombies 🧟",
            "Read the output above for the traceback",
            (OTHER_LOGS, "horovodrun"),
        ),
        (
            "llama_kv_cache_init: failed to allocate buffer for kv cache",
            "Use a shorter context, or keep the",
            (OTHER_LOGS, "horovodrun"),
        ),
    ],
)
def test_the_messages_own_fix_comes_first(log: str, fix: str, unfit: tuple[str, ...]) -> None:
    said = first(log + "\n")
    assert said.fixes[0].do.startswith(fix)
    assert_left_out(said.fixes, unfit)

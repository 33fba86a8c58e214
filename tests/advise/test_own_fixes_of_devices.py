"""Messages of drivers, CUDA libraries, compilers and NCCL get the fix of their own case first, and none for another."""

from __future__ import annotations

import pytest

from tests.answers import assert_first_fix, assert_left_out, first


@pytest.mark.parametrize(
    ("log", "fix", "command"),
    [
        (
            "RuntimeError: Timed out initializing process group in store based barrier on rank: 1, for key: store_based_barrier_key:1 (world_size=24, worker_count=23, timeout=0:30:00)",
            "Find the ranks that are missing (23 of 24 arrived within 30 min)",
            "pgrep",
        ),
        (
            "RuntimeError: [2] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout",
            "Read the log of rank 0 up to this time",
            "py-spy",
        ),
        (
            "[W socket.cpp:426] [c10d] The IPv4 network addresses of (trainer-9, 23456) cannot be retrieved (gai error: -2 - Name or service not known).",
            "Check the spelling of trainer-9",
            "getent hosts trainer-9",
        ),
        ("========= Invalid __shared__ write of size 16 bytes", "Correct the index or the size in the kernel", "-lineinfo"),
        ("RuntimeError: CUDA error: MPS client failed to connect to the MPS control daemon or the MPS server", "Start the MPS daemon", "nvidia-cuda-mps-control -d"),
        ("n3:4:5 [1] NCCL WARN NET/IB : Unable to open device mlx5_8", "Check adapter mlx5_8", "NCCL_IB_HCA=^=mlx5_8"),
        (
            "NCCL WARN NET/IB : Attempted to connect incompatible devices: [0]mlx5_2:1/IB and [0]mlx5_2:1/RoCE. Try selecting NICs of only one link type using NCCL_IB_HCA",
            "Name only adapters of one link type",
            "NCCL_IB_HCA=",
        ),
        ("n1:5:9 [0] misc/argcheck.cc:20 NCCL WARN Broadcast : sendbuff 0x55d0c0 is not a valid pointer", "Move the tensor to this rank's GPU before Broadcast", "cuda()"),
        ("NCCL WARN ReduceScatter : invalid type 12", "Give ReduceScatter a dtype and a reduction that NCCL supports", "nccl.version()"),
        ("AssertionError: hidden_size value from checkpoint (2048) is not equal to the input argument value (4096).", "Start with the checkpoint's value, 2048 for hidden_size", "--use-checkpoint-args"),
        ("AssertionError: data parallel group is already initialized", "Call initialize_model_parallel", "model_parallel_is_initialized"),
        ("|  No MIG devices found                       |", "Create the GPU and compute instances", "nvidia-smi mig -cgi"),
        ("RuntimeError: cutlassF: no kernel found to launch!", "Turn memory-efficient attention off", "enable_mem_efficient_sdp(False)"),
        ("triton.compiler.errors.CompilationError: at 51:8:", "Look at line 51 of the kernel", "triton.__version__"),
        ("main.py: error: Key 'data.folds' is not expected", "Remove data.folds from the command or the configuration file", ""),
        ("GPU 2 had uncorrectable memory errors and row remapping failed.", "Take GPU 2 out of use", "dcgmi diag -r 3 -i 2"),
        ("RuntimeError: invalid argument 1: must be >= 0 and <= 1", "Bring the value into the range", "clamp(0, 1)"),
        (
            "FileNotFoundError: Could not find shared object file for Transformer Engine torch lib.",
            "Install Transformer Engine again with all its parts",
            "transformer-engine[pytorch]",
        ),
        ('3 errors detected in the compilation of "/src/ops/roi.cu".', "Read the first line with error: above this count. It names the source line in /src/ops/roi.cu", "grep"),
    ],
)  # fmt: skip
def test_first_fix_is_for_this_message(log: str, fix: str, command: str) -> None:
    assert_first_fix(log, fix, command)


@pytest.mark.parametrize(
    ("log", "unfit"),
    [
        ("RuntimeError: apex.optimizers.FusedLAMB requires cuda extensions", ("PACKAGE",)),
        ("numba.cuda.cudadrv.error.CudaDriverError: CUDA initialized before forking", ("torch", "DataLoader")),
        (
            "numba.cuda.cudadrv.error.CudaSupportError: <CUDA device 0 'b'Quadro 600''> has compute capability < (3, 5)",
            ("torch",),
        ),
        ("RuntimeError: CUDA error: peer access is already enabled", ("NCCL_P2P_DISABLE", "iommu")),
        (
            "received timeout signal from GPU thread(s) in nvshmemi_call_site_barrier",
            ("init_process_group", "drop_last"),
        ),
        (
            "RuntimeError: CUDA error: CUSPARSE_STATUS_INSUFFICIENT_RESOURCES when calling `cusparseSpMM( handle, opA)`",
            ("TensorFlow",),
        ),
        ("RuntimeError: Unable to proceed, no GPU resources available", ("Colab",)),
        ("ValueError: Horovod has not been initialized; use hvd.init().", ("LOCAL_RANK", "pipeline")),
        ("FP8 reduction support begins with sm90 capable devices.", ("torchvision",)),
        ("NCCL WARN NET/IB : Got async event : port error", ("RoCE",)),
        (
            "numba.core.errors.UnsupportedError: use of exceptions is unsupported in CUDA kernels",
            ("Upgrade the framework",),
        ),
        (
            "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
            ("every batch",),
        ),
    ],
)
def test_no_fix_of_another_message(log: str, unfit: tuple[str, ...]) -> None:
    assert_left_out(first(log).fixes[:2], unfit)

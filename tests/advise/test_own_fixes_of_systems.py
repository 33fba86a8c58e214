"""Messages of accelerators, clusters, clouds and kernels get the fix of their own case first, and none that is unfit."""

from __future__ import annotations

import pytest

from tests.answers import assert_first_fix, assert_left_out, first


@pytest.mark.parametrize(
    ("log", "fix", "command"),
    [
        (
            "RuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
            "Install cuBLAS and cuDNN for CUDA 12 with pip",
            "nvidia-cublas-cu12",
        ),
        (
            "RuntimeError: synStatus=8 [Device not found] Device acquire failed.",
            "See whether the driver shows the card",
            "hl-smi",
        ),
        (
            "4 | 06/11/2024 | 15:20:01 | Processor #0x60 | Thermal Trip | Asserted",
            "Take the node out of service",
            "sdr type Fan",
        ),
        (
            'FATAL:   "torchrun": executable file not found in $PATH',
            "Look for torchrun inside the container",
            "apptainer exec IMAGE.sif",
        ),
        (
            "TypeError: Gradient only defined for scalar-output functions. Output had shape: (8,).",
            "Reduce the function's result to one number",
            "jnp.mean",
        ),
        (
            "ValueError: Unknown loss function: 'focal'. Please ensure you are using a `keras.utils.custom_object_scope`",
            "Pass your own loss, metric or optimizer",
            "custom_objects",
        ),
        ("NVRM: GPU 0000:01:00.0 does not have the necessary power cables connected.", "Power the machine off", ""),
        (
            "modprobe: FATAL: Module nvidia-uvm not found in directory /lib/modules/6.8.0-40-generic",
            "Build the driver's module for the running kernel",
            "dkms",
        ),
        (
            "ERROR: This container was built for NVIDIA Driver Release 545.23 or later, but\n       version 470.161.03 was detected and compatibility mode is UNAVAILABLE.",
            "Update the host's driver to 545.23 or newer, or use an older tag",
            "docker pull",
        ),
        (
            "nvrtc: error: failed to open libnvrtc-builtins.so.11.7.",
            "Give nvrtc the builtins of its own CUDA release",
            "LD_LIBRARY_PATH",
        ),
        (
            "OpenBLAS : Program is Terminated. Because you tried to allocate too many memory regions.",
            "Let OpenBLAS start fewer threads than it was built for",
            "OPENBLAS_NUM_THREADS",
        ),
        ("OSError: [Errno 22] Invalid argument: 'D:\\data\\new.csv'", "In Python write the path as a raw string", ""),
        (
            "Exception: XAmzContentSHA256Mismatch: Unable to parse ExceptionName: XAmzContentSHA256Mismatch Message: The provided 'x-amz-content-sha256' header does not match what was computed.",
            "Turn off the newer SDKs' extra checksums",
            "AWS_REQUEST_CHECKSUM_CALCULATION",
        ),
        ("error: command '/usr/bin/g++' failed with exit code 1", "Find the first line with error:", "grep -nE"),
        (
            "[8123.1] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984",
            "Use less RAM",
            "invoked oom-killer",
        ),
        (
            "OSError: [Errno 5] Input/output error: '/data/train/x.pkl'",
            "Look in the kernel's log and at the mount",
            "findmnt",
        ),
        ("clang++: error: unknown argument: '-mno-fma4'", "Remove the option from the build", "CFLAGS"),
        (
            "modprobe: ERROR: could not insert 'nvidia': No such device",
            "Check that the machine has a GPU that this driver",
            "lspci",
        ),
        ("nfs: server store7 not responding, timed out", "Ask the administrators about store7", "findmnt"),
        (
            "ptxas fatal   : Unresolved extern function '__nv_expf'",
            "Let the compiler link CUDA's libdevice",
            "XLA_FLAGS",
        ),
        (
            "tensorflow.python.framework.errors_impl.NotFoundError: Resource __per_step_8/_tensor_arraysmap/TensorArray_2_17/N10tensorflow11TensorArrayE does not exist.",
            "Upgrade TensorFlow",
            "pip install --upgrade tensorflow",
        ),
        ("ValueError: Unknown loss function:dice", "Pass your own loss, metric or optimizer", "custom_objects"),
        (
            "Hold reason: Transfer input files failure at execution point slot1@gpu07.lab: No such file or directory",
            "Correct the path in the submit file",
            "condor_release",
        ),
        (
            "socket.gaierror: [Errno -3] Temporary failure in name resolution",
            "Check the name's spelling and the resolver",
            "resolv.conf",
        ),
        ("process_vm_readv: Operation not permitted", "Allow processes to trace each other", "SYS_PTRACE"),
        (
            "NotFoundError: Op type not registered 'SentencepieceOp' in binary running on node.",
            "Import the library that registers the operation",
            "tensorflow-text",
        ),
        ("sbatch: error: QOSMaxGRESPerUser", "Wait until your running jobs leave room", "sacctmgr show qos"),
        ("No algorithm worked!", "Let TensorFlow take GPU memory as it needs it", "TF_FORCE_GPU_ALLOW_GROWTH"),
        (
            "ptxas fatal   : Unsupported .version 8.0; current version is '7.8'",
            "Use a ptxas at least as new",
            "TRITON_PTXAS_PATH",
        ),
        (
            "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:163] no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
            "Pass the GPU's device files into the container",
            "nvidia-modprobe",
        ),
        (
            "RESOURCE_EXHAUSTED: Underlying backend ran out of memory trying to instantiate graph with 512 nodes and 0 conditionals (total of 12 alive graphs in the process).",
            "Turn command buffers (CUDA graphs) off",
            "xla_gpu_enable_command_buffer",
        ),
        (
            "TERM_CWD_NOTEXIST: current working directory is not accessible or does not exist on the execution host.",
            "Submit from a folder that the execution hosts mount",
            "bsub -cwd",
        ),
        (
            "RuntimeError: TPU node-v3-32 is not HEALTHY yet. Re-run when all TPUs are HEALTHY",
            "Wait until the TPU is ready",
            "gcloud",
        ),
        (
            "OSError: [WinError 1314] A required privilege is not held by the client: '..\\\\blobs\\\\a' -> 'b'",
            "Enable Windows' developer mode",
            "",
        ),
    ],
)
def test_the_fix_of_its_own_case_comes_first(log: str, fix: str, command: str) -> None:
    assert_first_fix(log, fix, command)


@pytest.mark.parametrize(
    ("log", "unfit"),
    [
        ("{'Error': {'Code': 'SlowDown', 'Message': 'Please reduce your request rate.'}}", ("credentials", "permission")),
        ("4 | 06/11/2024 | 15:20:01 | Processor #0x60 | Thermal Trip | Asserted", ("nvidia-smi",)),
        ("c++: fatal error: Killed signal terminated program cc1plus", ("prebuilt wheel", "old build files")),
        ("EI0002: The wait execution of the Notify register times out. Reason: The Notify register has not received the Notify record from remote rank [3].", ("nccl",)),
        ("Unhandled exception. System.InvalidOperationException: Sequence contains no elements", ("pdb",)),
        ("OSError: [Errno 16] Device or resource busy: '.nfs00000000011'", ("LOCAL_RANK",)),
        ("[Error]: The vector core execution is abnormal.", ("compute-sanitizer",)),
        ("indexer: error: cannot open '/x/y.bin': No such file or directory", ("absolute path",)),
        ("azure.core.exceptions.ResourceNotFoundError: The specified blob does not exist.\nErrorCode:BlobNotFound", ("credentials", "permission")),
        ("mce: [Hardware Error]: CPU 14: Machine Check Exception: 5 Bank 7: be00000000800400", ("memtest",)),
        ("RuntimeError: Could not load libtorchcodec. Likely causes:\n  1. FFmpeg is not properly installed in your environment.", ("ffprobe", "requirements.txt")),
        ("slurmstepd: error: execve(/var/spool/slurmd/job71/slurm_script): Permission denied", ("chmod",)),
        ("ops.cpp:12:1: internal compiler error: Segmentation fault", ("Use another CUDA toolkit",)),
        ("../meson.build:12:0: ERROR: Dependency lookup for hdf5 with method 'pkgconfig' failed: Pkg-config binary for machine 1 not found.", ("openblas", "numpy")),
        ("RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [64, 128]], which is output 0 of AsStridedBackward0, is at version 2; expected version 1 instead.", ("loss_g.backward(); opt_d.step()",)),
    ],
)  # fmt: skip
def test_no_general_fix_that_is_unfit(log: str, unfit: tuple[str, ...]) -> None:
    diagnosis = first(log)
    assert diagnosis.fixes
    assert_left_out(diagnosis.fixes, unfit)


@pytest.mark.parametrize(
    ("log", "title"),
    [
        ("docker: unknown flag: --gpus", "This Docker or Compose release doesn't support GPU requests"),
        ("InvalidArgumentError: Device id must be less than GPU count, but received id is: 1. GPU count is: 1.", "GPU 1 was requested, but Paddle sees 1"),
        ("kernel: Loading of unsigned module is rejected", "The kernel rejected a module not signed by a trusted key, as with Secure Boot"),
        ("NotFoundError: Op type not registered 'SentencepieceOp' in binary running on node.", "The operation SentencepieceOp is not registered in this program"),
        ("InternalError: cudnn PoolForward launch failed [Op:MaxPool]", "cuDNN couldn't launch an operation"),
        ("The system is going down for reboot NOW!", "The machine is being shut down or restarted"),
        ("ERROR  : Failed to create user namespace: user namespace disabled", "The system doesn't let Apptainer create a namespace: user namespace disabled"),
    ],
)  # fmt: skip
def test_the_headline_is_that_of_the_message(log: str, title: str) -> None:
    assert first(log).title == title

"""Messages whose first fix was once that of a neighbor: each gets the fix for what it says."""

from __future__ import annotations

import pytest

from tests.answers import assert_left_out, first


@pytest.mark.parametrize(
    ("log", "title", "fix", "command", "unfit"),
    [
        (
            "python: can't open file '/content/drive/My': [Errno 2] No such file or directory",
            "/content/drive/My doesn't exist",
            "Quote the path",
            "MyDrive",
            ("drive.mount",),
        ),
        (
            "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
            "NumPy can't read a tensor that is on the GPU",
            "Copy the tensor to the CPU",
            ".cpu().numpy()",
            ("device_map",),
        ),
        (
            (
                "Traceback (most recent call last):\n"
                '  File "/work/infer.py", line 31, in <module>\n'
                '    inputs = processor(images=images.to("cuda"), return_tensors="pt")\n'
                '  File "/opt/env/lib/python3.11/site-packages/transformers/image_utils.py", line 174, in to_numpy_array\n'
                "    return to_numpy(img)\n"
                "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
            ),
            "NumPy can't read a tensor that is on the GPU",
            "Give the processor images or arrays that are on the CPU",
            "processor(",
            ("device_map",),
        ),
        (
            "RuntimeError: mat1 and mat2 must have the same dtype, but got BFloat16 and Byte",
            "A quantized weight (Byte) is multiplied as if it were a plain one",
            "Call the quantized layer itself",
            "quant_state",
            ("Run forward, backward and generate",),
        ),
        (
            "RuntimeError: unable to open shared memory object </torch_81_44_7> in read-write mode: Permission denied (13)",
            "This process may not create shared memory in /dev/shm",
            "Check the owner and mode of /dev/shm",
            "ls -ld /dev/shm",
            ("ulimit", "chown"),
        ),
        (
            "shmget failed: No space left on device",
            "The machine's limit of System V shared memory is reached",
            "List the segments",
            "ipcs",
            ("docker", "df -h", "Kubernetes"),
        ),
        (
            "_pickle.UnpicklingError: Weights only load failed. WeightsUnpickler error: Unsupported operand 149",
            "The file is pickled with protocol 3 or newer, which torch.load(weights_only=True) doesn't read",
            "If you trust the file like a program",
            "weights_only=False",
            ("git lfs", "download it again"),
        ),
        (
            "_pickle.UnpicklingError: Weights only load failed. WeightsUnpickler error: Unsupported operand 118",
            "The file is probably a Git LFS pointer instead of the weights",
            "Download the real file with Git LFS",
            "git lfs pull",
            (),
        ),
        (
            "ValueError: Key boxes is not in available keys.",
            "Albumentations rejected its settings or the call",
            "Pass the data under a name that Albumentations knows",
            "bboxes=",
            ("PadIfNeeded",),
        ),
        (
            "AttributeError: module 'keras._tf_keras.keras.layers' has no attribute 'experimental'",
            "The installed keras._tf_keras.keras.layers has no experimental",
            "Use Keras 3's name",
            "tf-keras",
            ("--upgrade keras",),
        ),
        (
            (
                "RuntimeError: Failed to import transformers.models.bert.modeling_tf_bert because of the following error (look up to see its traceback):\n"
                "Your currently installed version of Keras is Keras 3, but this is not yet supported in Transformers. Please install the backwards-compatible tf-keras package with `pip install tf-keras`."
            ),
            "Code or weights of one Keras are used with another",
            "Stay with Keras 2",
            "pip install tf-keras",
            (),
        ),
        (
            (
                "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"
                "ImportError: cannot import name 'triton_key' from 'triton.compiler.compiler' (/opt/venv/lib/python3.11/site-packages/triton/compiler/compiler.py)"
            ),
            "The installed Triton is of another release than its caller: it has no triton_key",
            "Install the Triton of this PyTorch",
            "triton==",
            ("--no-deps triton;",),
        ),
        (
            (
                '[rank0]:   File "/opt/env/lib/python3.11/site-packages/transformers/modeling_utils.py", line 178, in is_zero3\n'
                "[rank0]:     return _config().is_zero3()\n"
                "[rank0]: AttributeError: 'HfTrainerDeepSpeedConfig' object has no attribute 'is_zero3'"
            ),
            "transformers expects HfTrainerDeepSpeedConfig to have is_zero3: their releases don't match",
            "Upgrade the libraries that share the class",
            "pip install --upgrade",
            ("Add is_zero3",),
        ),
        (
            (
                "ERROR: Could not find a version that satisfies the requirement torch==2.4.0+cu121 (from versions: 2.2.0, 2.4.0)\n"
                "ERROR: No matching distribution found for torch==2.4.0+cu121"
            ),
            "torch==2.4.0+cu121 isn't in the package index; PyTorch's own index has such builds",
            "Install it from PyTorch's own index",
            "--extra-index-url https://download.pytorch.org/whl/",
            (),
        ),
        (
            (
                "ggml_cuda_init: found 1 CUDA devices:\n"
                "llama_context: n_ctx = 8192\n"
                "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED\n"
                "  current device: 0, in function cublas_handle at /build/ggml/src/ggml-cuda/common.cuh:1029"
            ),
            "cuBLAS couldn't start",
            "See whether the GPU is full",
            "nvidia-smi",
            ("python", "module unload"),
        ),
        (
            "nvidia-fabricmanager[2211]: fabric manager NVIDIA GPU driver interface version 580.95.05 don't match with driver version 580.82.07. Please update with matching NVIDIA driver package.",
            "The fabric manager is version 580.95.05, the driver 580.82.07",
            "Install the fabric manager in exactly the driver's version, 580.82.07",
            "=580.82.07",
            ("Start the fabric manager", "systemctl enable"),
        ),
        (
            "RuntimeError: GET was unable to find an engine to execute this computation",
            "cuDNN can't run this operation: too little free memory, or an unsupported dtype or layout",
            "Print free GPU memory, dtype and layout",
            "mem_get_info",
            (),
        ),
        (
            (
                "Traceback (most recent call last):\n"
                '  File "/opt/env/lib/python3.12/site-packages/vllm/_custom_ops.py", line 19, in <module>\n'
                "    import vllm._C\n"
                "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory"
            ),
            "The loader can't find libcudart.so.12",
            "Install the build of the package for the CUDA of your PyTorch",
            "torch.version.cuda",
            (),
        ),
        (
            (
                "torch._dynamo.exc.Unsupported: Data dependent operator\n"
                "  Explanation: Operator `aten._local_scalar_dense.default` has a non-Tensor output.\n"
                "  Hint: Enable tracing of data-dependent output operators with `torch._dynamo.config.capture_scalar_outputs = True`\n"
            ),
            "torch.compile can't capture this: Data dependent operator",
            "Follow PyTorch's hint: Enable tracing of data-dependent output operators",
            "",
            (),
        ),
        (
            "torch._inductor.exc.InductorError: RuntimeError: CUDA driver error: file not found",
            "A compiled kernel is missing from the cache",
            "Move the caches away",
            "triton",
            ("TORCHDYNAMO_DISABLE", "--upgrade"),
        ),
        (
            (
                '  File "/opt/env/lib/python3.11/site-packages/triton/compiler/compiler.py", line 371, in __getattribute__\n'
                "KeyError: 'cubin'"
            ),
            "Triton's cache holds an incomplete kernel (no cubin)",
            "Move Triton's cache away",
            "mv ~/.triton/cache",
            ("spelled",),
        ),
        (
            "[node7:12345:0:12345] Caught signal 7 (Bus error: nonexistent physical address)",
            "Bus error: /dev/shm is full, or a mapped file was truncated",
            "See how full /dev/shm is while it runs",
            "docker",
            (),
        ),
        (
            "Failed to initialize NVML: Unknown Error",
            "The container was started without working GPU access",
            "Restart the container",
            "docker restart",
            (),
        ),
    ],
)
def test_the_fix_is_for_this_message(log: str, title: str, fix: str, command: str, unfit: tuple[str, ...]) -> None:
    said = first(log + "\n")
    assert said.title == title
    assert said.fixes[0].do.startswith(fix)
    assert command in (said.fixes[0].run or "")
    assert_left_out([*said.fixes, *said.decide], unfit)


def test_a_lustre_client_repairs_nothing() -> None:
    said = first("LustreError: 11-0: fs1-OST0003-osc: operation ost_write to node failed: rc = -19\n")
    assert "administrators" in said.fixes[0].do
    assert_left_out(said.fixes, ("fsck",))


def test_sizes_in_a_server_are_not_explained_with_keras() -> None:
    said = first(
        '  File "/opt/vllm/lib/python3.12/site-packages/vllm/model_executor/models/qwen3_moe.py", line 480, in load_weights\n'
        "    weight_loader(param, loaded_weight, name)\n"
        "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)\n"
    )
    assert "Keras" not in said.explanation
    assert said.fixes[0].run == "pip install --upgrade vllm"


def test_ollama_takes_no_options_of_llama_cpp() -> None:
    said = first(
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 35533.34 MiB on device 0: cudaMalloc failed: out of memory\n"
        "llama_model_load: error loading model: unable to allocate CUDA0 buffer\n"
        "panic: unable to load model: /root/.ollama/models/blobs/sha256-d83c18fb\n"
    )
    assert "num_gpu" in (said.fixes[0].run or "")
    assert_left_out(said.fixes, ("--n-gpu-layers", "--ctx-size"))

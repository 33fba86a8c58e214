"""A message gets the fix that an expert would name first, and beside it none for another message of its cause."""

from __future__ import annotations

import pytest

from tests.answers import assert_first_fix, assert_left_out, first


@pytest.mark.parametrize(
    ("log", "fix", "command", "unfit"),
    [
        (
            "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 14.9 GiB for an array with shape (2000000, 1000) and data type float64",
            "Reduce the array's size ((2000000, 1000) of float64)",
            "open_memmap",
            ("num_workers", "fewer samples"),
        ),
        (
            "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 71.2 MiB for an array with shape (1440, 2160, 3) and data type float64",
            "Find out what fills the RAM, because this array is small",
            "free -h",
            ("open_memmap", "sparse"),
        ),
        (
            "RuntimeError: [enforce fail at alloc_cpu.cpp:80] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 50331648 bytes. Error code 12 (Cannot allocate memory)",
            "Find out what fills the RAM, because 48 MiB is little",
            "free -h",
            ("wrong shape", "mmap_mode"),
        ),
        (
            "ValueError: Attempting to unscale FP16 gradients.",
            "Keep the trainable weights in float32",
            "p.data.float()",
            ("Run forward",),
        ),
        (
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (308x768 and 1024x640)",
            "Use model files made for one another",
            "cross_attention_dim",
            ("x.flatten(1)",),
        ),
        (
            "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [64, 32, 3, 3]] is at version 4; expected version 3 instead.",
            "Call every backward() before optimizer.step()",
            "opt_d.step()",
            (),
        ),
        (
            'RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "body.conv1.weight". \n\tUnexpected key(s) in state_dict: "body.conv_1.weight". ',
            "Compare both lists of names",
            "if k not in own",
            ("num_classes",),
        ),
        (
            "Weights only load failed. Re-running `torch.load` with `weights_only` set to `False` will likely succeed.\nWeightsUnpickler error: unsupported persistent id encountered",
            "Load everything (weights_only=False) only if you trust the file",
            "weights_only=False",
            ("TheClass", "add_safe_globals"),
        ),
        ("RuntimeError: Not enough GPUs: need 4, have 2", "Ask for at most 2 GPUs", "nvidia-smi -L", ("valid index",)),
        (
            'level=WARN source=cuda_compat.go:40 msg="NVIDIA driver too old" version=470.82',
            "Update the NVIDIA driver to 550 or newer",
            "ubuntu-drivers",
            ("pip install",),
        ),
        (
            "Notebook Timeout: Your submission notebook exceeded the allowed runtime. Review the competition's Code Requirements page for the time limits.",
            "Train in another notebook",
            "",
            ("--time", "partition"),
        ),
        ("ValueError: filedescriptor out of range in select()", "Keep fewer files open", "", ("ulimit -n", "nofile")),
        (
            "tensorboard 2.15.1 requires google-auth-oauthlib<2,>=0.5, which is not installed.",
            "Install what tensorboard needs",
            "google-auth-oauthlib",
            ("pip install tensorboard",),
        ),
        (
            "ImportError: module was compiled for Python 3.7, but the interpreter version is 3.9",
            "Reinstall the package with the Python that runs the program",
            "--force-reinstall",
            ("torchvision",),
        ),
        (
            "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00",
            "Log from one process",
            "MLFLOW_SQLALCHEMYSTORE_POOL_SIZE",
            ("WANDB",),
        ),
        (
            "AssertionError: MMEngine==0.4.0 is used but incompatible. Please install mmengine>=0.7.1, <1.0.0.",
            "Install the required MMEngine",
            "mmengine",
            ("mim install mmcv", "mmcv>="),
        ),
        ("Error: could not connect to ollama app, is it running?", "Start the server", "ollama serve", ("NCCL",)),
        (
            "COMET ERROR: The given API key 'abc' is invalid on 'https://www.comet.com/clientlib/', please check it against the dashboard. Your experiment will not be logged",
            "Copy the API key again",
            "comet init",
            ("hf auth", "HF_TOKEN"),
        ),
        (
            "wandb.errors.errors.CommError: failed to upsert bucket: returned error 409 Conflict: {\"errors\":[{\"message\":\"run acme/net/3fj2 was previously created and deleted; try a new run name\"}]}",
            "Use a new run id",
            "WANDB_RUN_ID",
            (),
        ),
        (
            "whisper_init_from_file_no_state: failed to open 'models/ggml-large'",
            "Download the model to models/ggml-large",
            "ls -l models/ggml-large",
            ("llama-gguf-split",),
        ),
        (
            "KeyError: \"The `metric_for_best_model` training argument is set to 'eval_f1', which is not found in the evaluation metrics.\"",
            "Name a metric that the evaluation returns",
            "metric_for_best_model",
            ("save_strategy",),
        ),
        (
            "TypeError: argument 'ids': 'list' object cannot be interpreted as an integer",
            "Decode one sequence at a time",
            "batch_decode",
            ("traceback",),
        ),
        (
            "lightgbm.basic.LightGBMError: Build Program Failure",
            "Set the GPU's OpenCL platform",
            "gpu_platform_id",
            ("TORCHDYNAMO",),
        ),
        (
            "RuntimeError: Unsloth: Pixtral only works on transformers >= 4.49.0.",
            "Install the version that Unsloth requires",
            "transformers>=4.49.0",
            ("Upgrade the package that the message names",),
        ),
        ("Could not override 'model.lr'.\nTo append to your config use +model.lr=0.1", "Correct the spelling of model.lr", "", ("Correct the setting",)),
        ("omegaconf.errors.MissingMandatoryValue: Missing mandatory value: data.path", "Give data.path a value", "data.path=VALUE", ("plus sign",)),
        ("ValueError: LoRA rank 64 is greater than max_lora_rank 16.", "Allow adapters of rank 64", "--max-lora-rank 64", ()),
        ("ValueError: cannot convert float NaN to integer", "Find the missing value", "dropna", ("learning rate",)),
        ("numpy.linalg.LinAlgError: SVD did not converge", "Look for NaN and infinity in the matrix", "isfinite", ("learning rate",)),
        ("fatal: early EOF", "Clone again without the history", "--depth 1", ("getent",)),
        ("OSError: image file is truncated (37 bytes not processed)", "Find the truncated images", "LOAD_TRUNCATED_IMAGES", ()),
        (
            "ERROR: Could not find a version that satisfies the requirement torch==1.13.1 (from versions: 2.5.0, 2.5.1, 2.6.0)",
            "Use Python 3.7 to 3.11, for which PyTorch 1.13.1 has packages",
            "python=3.X",
            (),
        ),
        ("ValueError: expected sequence of length 212 at dim 1 (got 147)", "Pad or truncate the rows", "padding=True", ("Convert images",)),
        (
            'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    import einops\nModuleNotFoundError: No module named \'einops\'',
            "Install the package that provides einops",
            "pip install einops",
            ("requirements.txt",),
        ),
        ("TypeError: string indices must be integers, not 'str'", "Parse the text first if it is JSON", "print(type(x)", ("pdb",)),
        ("TypeError: only length-1 arrays can be converted to Python scalars", "Make one number of it", "x.shape", ("x[0]), loop",)),
        ("TypeError: a bytes-like object is required, not 'str'", "Convert between text and bytes", "text.encode('utf-8')", ("Take an element",)),
        ("TypeError: argument of type 'int' is not iterable", "Print the value where it is set", "type(x)", ("Take an element",)),
        ("ValueError: EarlyStoppingCallback requires metric_for_best_model to be defined", "Name the metric that early stopping watches", "eval_loss", ()),
        ("urllib.error.HTTPError: HTTP Error 404: Not Found", "Find the address in the traceback", "curl", ("getent", "proxy")),
        ("AssertionError: batch-size 6 not multiple of GPU count 4", "Choose a batch size that is a multiple", "batch=16", ("nc in data.yaml",)),
        ("json.decoder.JSONDecodeError: Extra data: line 2 column 1 (char 187)", "Read the file line by line", "json.loads(line)", ()),
        ("AttributeError: 'DataFrame' object has no attribute 'append'", "Use the newer name", "pd.concat", ("requirements.txt",)),
        ("/usr/bin/python3: No module named pip", "Install pip for this Python", "ensurepip", ("PYTHONPATH",)),
        (
            "datasets.exceptions.DatasetNotFoundError: Dataset 'acme/sqaud' doesn't exist on the Hub or cannot be accessed.",
            "Correct the name",
            "OWNER/NAME",
            (),
        ),
        (
            "ERROR: Failed building wheel for llama-cpp-python\n  CMake Error: CMAKE_C_COMPILER not set, after EnableLanguage",
            "",
            "",
            ("ran out of memory",),
        ),
        ("You must specify 'dataset', e.g, dataset=<OPTION>", "Give dataset a value", "dataset=VALUE", ("plus sign",)),
        ("omegaconf.errors.ConfigKeyError: Key 'epochs' not in 'TrainConfig'", "Correct the key epochs", "", ("add it with a plus",)),
        ("toml.decoder.TomlDecodeError: Unbalanced quotes (line 4 column 9 char 77)", "Correct the line", "tomllib", ("yaml",)),
        ("RuntimeError: Library libcudnn_ops_infer.so.8 is not found or cannot be loaded", "Upgrade CTranslate2", "ctranslate2", ()),
        ("what():  Connecting to Redis: Connection refused", "Check that the Redis server", "redis-cli", ("Find the rank",)),
        ("403 Forbidden: none.\nMake sure your token has the correct permissions.", "Give the token the permission", "hf auth", ("role write",)),
        ("curl: (92) HTTP/2 stream 0 was not closed cleanly", "Download again over HTTP/1.1", "--http1.1", ("Clone again",)),
        (
            "[c10d] The IPv6 network addresses of (gpu[03-06], 29400) cannot be retrieved (gai error: -2 - Name or service not known).",
            "Give the master address as the full name",
            "MASTER_ADDR",
            ("getent",),
        ),
        ('Error: NotEnoughCUDADevices("4")', "Set the number of shards", "--num-shard", ("torchrun",)),
    ],
)  # fmt: skip
def test_first_fix(log: str, fix: str, command: str, unfit: tuple[str, ...]) -> None:
    assert_first_fix(log, fix, command)
    assert_left_out(first(log).fixes, unfit)


@pytest.mark.parametrize(
    ("log", "fix"),
    [
        ("TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'", "Run it with Python 3.10"),
        ("Input prompt is too big compared to KV size. Please try increasing KV size.", "Raise the context"),
    ],
)
def test_a_fix_of_the_cause_that_asks_for_the_message_stands_alone(log: str, fix: str) -> None:
    one = first(log)
    assert len(one.fixes) == 1
    assert one.fixes[0].do.startswith(fix)


@pytest.mark.parametrize(
    ("log", "title"),
    [
        ('level=WARN source=cuda_compat.go:40 msg="NVIDIA driver too old" version=470.82', "The NVIDIA driver is too old for Ollama"),
        ("Error: model 'llama3.3:70b' not found, try pulling it first", "Ollama has no model llama3.3:70b"),
        ("RuntimeError: Not enough GPUs: need 4, have 2", "4 GPUs were requested, but only 2 exist"),
        (
            "ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(head_size=80, dtype=torch.bfloat16)",
            "No attention kernel supports this head size",
        ),
    ],
)  # fmt: skip
def test_the_title_is_about_the_message(log: str, title: str) -> None:
    assert first(log).title.startswith(title)


CUDA_HOME = "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.\n"
FRAME = 'Traceback (most recent call last):\n  File "{}", line 3, in <module>\n    main()\n'
LINUX, WINDOWS = "/srv/x/setup.py", "C:\\Users\\me\\miniforge3\\envs\\x\\Lib\\site-packages\\x\\setup.py"


@pytest.mark.parametrize(
    ("file", "offered", "unfit"),
    [
        (LINUX, "devel image", "conda install"),
        (WINDOWS, "conda environment", "docker"),
        ("/home/me/miniconda3/envs/x/lib/python3.11/site-packages/x/setup.py", "conda environment", "docker"),
    ],
)
def test_advice_for_a_container_or_conda_is_for_runs_that_may_be_there(file: str, offered: str, unfit: str) -> None:
    said = first(FRAME.format(file) + CUDA_HOME)
    assert any(offered in fix.do for fix in said.fixes)
    assert_left_out(said.fixes, (unfit,))


def test_memory_is_not_blamed_where_the_log_shows_that_it_was_free() -> None:
    said = first(
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 46637514752 bytes free, 47587131392 bytes total.\n"
        "jaxlib.xla_extension.XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more details.\n"
    )
    assert "jax[cuda12]" in (said.fixes[0].run or "")
    assert "nearly full" not in said.explanation
    assert_left_out(said.fixes, ("PREALLOCATE", "MEM_FRACTION"))


def test_a_parameter_that_zero_has_split_is_no_empty_dataset() -> None:
    said = first(
        'ValueError: Trying to set a tensor of shape torch.Size([64, 32]) in "weight" (which has shape torch.Size([0])), this look incorrect.\n'
    )
    assert said.cause == "code.checkpoint-mismatch"
    assert "ZeRO stage 3" in said.fixes[0].do
    assert_left_out(said.fixes, ("ignore_mismatched_sizes",))


def test_a_peer_that_closed_its_connection_is_read_first() -> None:
    said = first(
        "n1:66:67 [0] misc/socket.cc:538 NCCL WARN Net : Connection closed by remote peer gpu-5<47112>\n"
        "NCCL failure common.cu:921 'unhandled system error'\n"
    )
    assert "closed its connection" in said.fixes[0].do


def test_libdevice_is_installed_before_it_is_named() -> None:
    said = first("INTERNAL: libdevice not found at ./libdevice.10.bc\n")
    assert "nvidia-cuda-nvcc" in (said.fixes[0].run or "")

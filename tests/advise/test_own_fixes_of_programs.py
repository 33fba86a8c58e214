"""Messages of frameworks, launchers, installers and services get the fix of their own case first, and none for another."""

from __future__ import annotations

import pytest

from tests.answers import assert_first_fix, assert_left_out, first


@pytest.mark.parametrize(
    ("log", "fix", "command"),
    [
        (
            "RuntimeError: jaxlib is version 0.4.2, but this version of jax requires version >= 0.4.19.",
            "Install jax and jaxlib of one release together",
            "pip install --upgrade jax jaxlib",
        ),
        (
            "RuntimeError: jaxlib version 0.4.31 is newer than and incompatible with jax version 0.4.27.",
            "Install jax and jaxlib of one release together",
            "jaxlib==0.4.27",
        ),
        (
            "InvalidArgumentError: logits and labels must be broadcastable: logits_size=[96,7] labels_size=[32,7]",
            "Make logits [96,7] and labels [32,7] alike",
            "model.output_shape",
        ),
        (
            "TypeError: SFTTrainer.__init__() got an unexpected keyword argument 'tokenizer'",
            "Pass the tokenizer as processing_class",
            "processing_class=tokenizer",
        ),
        ("ConnectionRefusedError: [Errno 111] Connection refused", "Start the program that should listen there", "ss -ltnp"),
        ("OSError: [Errno 113] No route to host", "Check that the other machine is up", "ip route"),
        (
            "requests.exceptions.SSLError: HTTPSConnectionPool(host='data.example.org', port=443): Max retries exceeded with url: /a.zip (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1149)')))",
            "Wait until the server's owner renews its certificate",
            "expire date",
        ),
        (
            "There are not enough slots available in the system to satisfy the 6 slots that were requested by the application:",
            "Start fewer processes, or give the hosts 6 slots",
            "-H HOST:N",
        ),
        (
            "TypeError: MyTrainer.training_step() takes 3 positional arguments but 4 were given",
            "Upgrade the library or script whose trainer overrides training_step",
            "transformers<4.46",
        ),
        (
            "ValueError: You set `devices=4` in Lightning, but the number of tasks per node configured in SLURM `--ntasks-per-node=1` does not match.",
            "Set devices and num_nodes of the Trainer",
            "#SBATCH --ntasks-per-node=4",
        ),
        (
            "importlib.metadata.PackageNotFoundError: No package metadata was found for The 'sglang>=0.4.9' distribution was not found and is required by this application.",
            "Install sglang>=0.4.9",
            'pip install "sglang>=0.4.9"',
        ),
        ("docker: Error response from daemon: Unknown runtime specified nvidia.", "Start the container with --gpus all", "--gpus all"),
        ("botocore.exceptions.NoCredentialsError: Unable to locate credentials", "Give the process credentials", "aws sts"),
        (
            "AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 96 != 3 * 4 * 1",
            "Let DeepSpeed see all processes",
            "accelerate launch",
        ),
        (
            "AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 100 != 3 * 4 * 8",
            "Set train_batch_size to 96",
            '"train_batch_size": 96',
        ),
        (
            "zarr.errors.GroupNotFoundError: group not found at path 'train'",
            "Check the path of the store",
            "zarr.json",
        ),
        (
            "ValueError: Loading acme/x requires you to execute the configuration file in that repo on your local machine.",
            "Read the repository's code, then allow it",
            "trust_remote_code=True",
        ),
        (
            "ValueError: Target size (torch.Size([16])) must be the same as input size (torch.Size([16, 1]))",
            "Give the labels the shape of the model's output",
            "target.unsqueeze(1).float()",
        ),
        (
            "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).",
            "Choose a tensor parallel size that divides 28",
            "--tensor-parallel-size N",
        ),
        (
            "Cannot access gated repo for url https://huggingface.co/acme/x/resolve/main/config.json.\nYour request to access model acme/x is awaiting a review from the repo authors.",
            "Wait until the authors of acme/x approve the request",
            "hf download acme/x",
        ),
        (
            "CUDAMismatchException: >- DeepSpeed Op Builder: Installed CUDA version 12.4 does not match the version torch was compiled with 11.8, unable to compile cuda/cpp extensions",
            "Point CUDA_HOME at a CUDA 11.8 toolkit",
            "/usr/local/cuda-11.8",
        ),
        ("OSError: [Errno 122] Disk quota exceeded: '/home/u/model.bin'", "See which quota is used up", "quota -s"),
        ("toomanyrequests: You have reached your pull rate limit.", "Log in to the registry", "docker login"),
        (
            "ValueError: The following `model_kwargs` are not used by the model: ['token_type_ids'] (note: typos in the generate arguments will also show up in this list)",
            "Leave token_type_ids out",
            "return_token_type_ids=False",
        ),
        (
            "jax.errors.ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected: traced array with shape int32[]\nThe size argument of jnp.nonzero must be statically specified to use jnp.nonzero within JAX transformations.",
            "Give jnp.nonzero a fixed size",
            "jnp.nonzero(x, size=N",
        ),
        (
            "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].\nThis concrete value was not available in Python because it depends on the value of the argument x.",
            "If x is a setting, mark it as static; if it is data, branch on it with jnp.where or lax.cond",
            "static_argnames='x'",
        ),
        (
            "TypeError: Scanned function carry input and carry output must have equal types (e.g. shapes and dtypes of arrays), but they differ:\n  * the input carry c has type float32[] but the corresponding output carry component has type int32[], so the dtypes do not match.",
            "Return c as it goes in, float32[] rather than int32[]",
            "astype(carry.dtype)",
        ),
        (
            "TypeError: scan body function carry input and carry output must have equal types, but they differ:\nThe input carry c has type float32[2] but the corresponding output carry component has type float32[3], so the shapes do not match.",
            "Keep the carry's shape",
            ".at[i].set",
        ),
        ("ValueError: Shapes (None, 1) and (None, 10) are incompatible", "If the labels are class numbers", "sparse_categorical"),
        (
            "yaml.scanner.ScannerError: while scanning for the next token\nfound character '\\t' that cannot start any token\n  in \"cfg.yaml\", line 4, column 1",
            "Replace the tab in line 4 of cfg.yaml",
            "cfg.yaml",
        ),
        (
            "yaml.scanner.ScannerError: mapping values are not allowed here\n  in \"cfg.yaml\", line 7, column 8",
            "Open line 7 of cfg.yaml",
            "head -n 7 cfg.yaml | tail -n 2",
        ),
        (
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for Config\nlr\n  Input should be a valid number [type=float_type, input_value='x', input_type=str]",
            "Correct lr in the configuration file",
            "",
        ),
        ("AttributeError: 'DeepSpeedCPUAdam' object has no attribute 'ds_opt_adam'", "Read the error above", "ds_report"),
        ("ValueError: dropout probability has to be between 0 and 1, but got 1.5", "Set dropout to a number between 0 and 1", "nn.Dropout"),
        (
            "ValueError: Unrecognized configuration class <class 'transformers.models.t5.configuration_t5.T5Config'> for this kind of AutoModel: AutoModelForCausalLM.",
            "Load the model with AutoModelForSeq2SeqLM",
            "AutoModelForSeq2SeqLM",
        ),
        (
            "OSError: Can't load tokenizer for './out'. If you were trying to load it from 'https://huggingface.co/models', make sure you don't have a local directory with the same name.",
            "Save the tokenizer beside the model",
            "tokenizer.save_pretrained('./out')",
        ),
    ],
)  # fmt: skip
def test_first_fix(log: str, fix: str, command: str) -> None:
    assert_first_fix(log, fix, command)


@pytest.mark.parametrize(
    ("log", "unfit"),
    [
        ("ConnectionRefusedError: [Errno 111] Connection refused", ("NCCL", "iperf3")),
        (
            "The virtual environment was not created successfully because ensurepip is not available. On Debian/Ubuntu systems, you need to install the python3-venv package using the following command.\n\n    apt install python3.10-venv",
            ("pip install python3.10-venv",),
        ),
        ("ModuleNotFoundError: No module named '_bz2'", ("PACKAGE[all]",)),
        ("RuntimeError: compile is not supported in your version of PyTorch.", ("--upgrade PyTorch",)),
        ("InternalError: Blas GEMM launch failed : a.shape=(8, 784), b.shape=(784, 128), m=8, n=128, k=784", ("image size",)),
        ("RuntimeError: Ray has not been started yet. You can start Ray with 'ray.init()'.", ("Follow the message",)),
        ("ValueError: `.to` is not supported for `4-bit` or `8-bit` bitsandbytes models. Please use the model as it is", ("Follow the message",)),
    ],
)  # fmt: skip
def test_unfit_advice_is_left_out(log: str, unfit: tuple[str, ...]) -> None:
    one = first(log)
    assert one.fixes
    assert_left_out((*one.fixes, *one.decide), unfit)


@pytest.mark.parametrize(
    ("log", "title"),
    [
        ("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "cuDNN couldn't start"),
        ("RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`", "cuBLAS couldn't start"),
        ("nohup: failed to run command 'pyhton': No such file or directory", "The program pyhton is not installed"),
        ("AttributeError: 'DeepSpeedCPUAdam' object has no attribute 'ds_opt_adam'", "DeepSpeed's DeepSpeedCPUAdam operator failed"),
    ],
)  # fmt: skip
def test_the_title_says_what_is_certain(log: str, title: str) -> None:
    assert first(log).title.startswith(title)


def test_a_wrong_setting_needs_no_list_of_packages() -> None:
    log = "ValueError: `lr` must be positive, but the configuration has -1"
    assert not [fix for fix in first(log).fixes if "pip list" in (fix.run or "")]


def test_a_c_plus_plus_error_is_named_behind_the_status_of_its_task() -> None:
    log = (
        "terminate called after throwing an instance of 'std::runtime_error'\n"
        "  what():  plane 3 is offline\n"
        "srun: error: n1: task 0: Exited with exit code 134\n"
    )
    one = first(log)
    assert "plane 3 is offline" in one.title
    assert "plane 3 is offline" in one.fixes[0].do


def test_a_setup_script_that_fails_under_pip_is_the_package_s() -> None:
    log = (
        "  × python setup.py egg_info did not run successfully.\n"
        "  Traceback (most recent call last):\n"
        '    File "/tmp/pip-install-ab12/oddpkg_77/setup.py", line 31, in <module>\n'
        '      raise FileNotFoundError("Unable to find " + name)\n'
        "  FileNotFoundError: Unable to find requirements.txt\n"
    )
    one = first(log)
    assert one.cause == "env.package-versions"
    assert one.fixes[0].do.startswith("Use a Python or a release of the package")


def test_a_missing_library_of_a_program_is_no_missing_file() -> None:
    log = "/opt/x.cpp/bin/run: error while loading shared libraries: libodd.so: cannot open shared object file: No such file or directory\n"
    assert "libodd.so" in first(log).title


@pytest.mark.parametrize(
    ("library", "imported", "cause", "command"),
    [
        ("libGL.so.1", "cv2", "env.package-incomplete", "opencv-python-headless"),
        ("libsndfile.so.1", "soundfile", "env.package-incomplete", "sudo apt-get install libsndfile1 "),
        ("libmpi.so.40", "mpi4py", "env.package-incomplete", "apt-file search libmpi.so.40"),
        ("libcudart.so.11.0", "tensorflow", "env.cuda-library-missing", "LD_LIBRARY_PATH"),
    ],
)
def test_a_missing_library_names_what_contains_it(library: str, imported: str, cause: str, command: str) -> None:
    frame = (
        f'  File "/usr/lib/python3.10/site-packages/{imported}/__init__.py", line 181, in <module>\n    bootstrap()\n'
    )
    diagnosis = first(
        'Traceback (most recent call last):\n  File "/root/train.py", line 5, in <module>\n'
        f"    import {imported}\n{frame}ImportError: {library}: cannot open shared object file: No such file or directory\n"
    )
    assert diagnosis.cause == cause
    assert command in (diagnosis.fixes[0].run or "")
    assert "installed without one of its parts" not in diagnosis.explanation


@pytest.mark.parametrize(
    ("log", "title", "fix"),
    [
        (
            "ValueError: Config name is missing.\nPlease pick one among the available configs: ['cola', 'sst2']",
            "The dataset has several configurations, and none was chosen: ['cola', 'sst2']",
            "Use one of the available names: ['cola', 'sst2']",
        ),
        (
            "MisconfigurationException: You requested gpu: [0, 1, 2]\n But your machine only has: [0, 1]",
            "The Trainer should use GPUs that aren't visible; visible: 0, 1",
            "Ask the Trainer only for GPUs that are visible",
        ),
        (
            "EnvironmentNameNotFound: Could not find conda environment: gnn",
            "conda has no environment gnn here",
            "List this conda's environments",
        ),
        (
            (
                "Warning  FailedScheduling  3m  default-scheduler  0/5 nodes are available: 5 Insufficient nvidia.com/gpu. "
                "preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod."
            ),
            "None of the 5 Kubernetes nodes fits the pod: 5 Insufficient nvidia.com/gpu",
            "Check what the nodes have free",
        ),
        (
            "sbatch: error: Batch job submission failed: Requested node configuration is not available",
            "Slurm rejected the request: Requested node configuration is not available",
            "Request a partition, GPU type, time, and CPUs and memory per node",
        ),
        (
            (
                "botocore.exceptions.ClientError: An error occurred (ExpiredToken) when calling the GetObject operation: "
                "The provided token has expired."
            ),
            "The object store rejected GetObject: ExpiredToken",
            "Renew the expired credentials",
        ),
        (
            (
                'ValueError: Input 0 of layer "dense" is incompatible with the layer: expected axis -1 of input shape to have '
                "value 784, but received input with shape (None, 28, 28)"
            ),
            "The layer expects 784 values along axis -1, but got input of shape (None, 28, 28)",
            "Give the layer 784 values along axis -1",
        ),
    ],
)
def test_the_headline_says_what_was_refused(log: str, title: str, fix: str) -> None:
    diagnosis = first(log + "\n")
    assert diagnosis.title == title
    assert diagnosis.fixes[0].do.startswith(fix)

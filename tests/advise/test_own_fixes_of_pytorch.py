"""Messages of PyTorch get the advice that fits their own words and figures, and nothing that contradicts them."""

from __future__ import annotations

import pytest

from tests.answers import assert_first_fix, assert_left_out, first


def loading(*lines: str) -> str:
    """Return the exception of a state dict that doesn't fit a model."""
    return "\n\t".join(("RuntimeError: Error(s) in loading state_dict for Segmenter:", *lines))


@pytest.mark.parametrize(
    ("log", "fix", "command"),
    [
        (
            loading('Missing key(s) in state_dict: "stem.0.weight".', 'Unexpected key(s) in state_dict: "net.core.stem.0.weight".'),
            "Cut the beginning that only the checkpoint's keys have",
            "p = 'net.core.stem.0.weight'.removesuffix('stem.0.weight'); state = dict((k.removeprefix(p), v) for k, v in state.items())",
        ),
        (
            loading('Missing key(s) in state_dict: "module.stem.0.weight".', 'Unexpected key(s) in state_dict: "stem.0.weight".'),
            "Load into the model inside the wrapper",
            "model.module.load_state_dict(state)",
        ),
        (
            loading('Missing key(s) in state_dict: "encoder.0.weight".', 'Unexpected key(s) in state_dict: ".0.weight".'),
            "If your code cuts keys by a number of characters (k[7:])",
            "k.removeprefix('module.')",
        ),
        (
            loading('Missing key(s) in state_dict: "boundary.0.weight", "boundary.0.bias".'),
            "Build the model as it was saved, without boundary.0.weight",
            "strict=False",
        ),
        (
            loading('Missing key(s) in state_dict: "text.embeddings.position_ids".'),
            "Load the rest with strict=False: text.embeddings.position_ids is a buffer",
            "strict=False",
        ),
        (
            loading('Unexpected key(s) in state_dict: "teacher.0.weight".'),
            "Build the model as it was saved, with teacher.0.weight",
            "strict=False",
        ),
        (
            loading('Missing key(s) in state_dict: "stem.0.weight".', 'Unexpected key(s) in state_dict: "epoch", "state_dict".'),
            "Load the entry that holds the weights",
            "ckpt['state_dict']",
        ),
        (
            "ValueError: Size mismatch between saved torch.Size([128, 64]) and current: torch.Size([4096]) for model.proj.weight",
            "Load and save through get_model_state_dict",
            "set_model_state_dict",
        ),
        (
            ("RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[torch.FloatTensor [7, 7]], which is output 0 of SoftmaxBackward0, is at version 4; expected version 3 instead. Hint: enable anomaly detection to find the "
            "operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True)."),
            "Find the operation, as the message's hint says",
            "set_detect_anomaly(True)",
        ),
        ("RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.", "Modify the parameter under torch.no_grad()", "no_grad"),
        ("AssertionError: No inf checks were recorded for this optimizer.", "Find out why no parameter of this optimizer has a gradient", "p.grad is None"),
        (
            "RuntimeError: DataLoader worker (pid 77) exited unexpectedly with exit code 1. Details are lost due to multiprocessing.",
            "Read the worker's own traceback above: exit code 1",
            "num_workers=0",
        ),
        ("RuntimeError: DataLoader worker (pid 78) is killed by signal: Terminated.", "Find out who stopped the run", "grep"),
        (
            ("step 900 loss 0.41\nTraceback (most recent call last):\n  File \"t.py\", line 9, in <module>\n    loss.backward()\n"
            "RuntimeError: CUDA error: unknown error"),
            "Look for the driver's own message at that time",
            "nvrm",
        ),
        (
            ("RuntimeError: CUDA out of memory. Tried to allocate 96.00 MiB (GPU 1; 23.69 GiB total capacity; 3.10 GiB already "
            "allocated; 19.02 GiB free; 3.20 GiB reserved in total by PyTorch)"),
            "Look for another limit than the memory of GPU 1",
            "nvidia-smi",
        ),
        (
            "torch._inductor.exc.InductorError: ImportError: cannot import name 'triton_key' from 'triton.compiler.compiler' (/opt/v/lib/python3.11/site-packages/triton/compiler/compiler.py)",
            "Install PyTorch again with the Triton that it asks for",
            "triton",
        ),
        ("torch._inductor.exc.InductorError: NameError: name 'ks3' is not defined", "Continue without compilation", "TORCHDYNAMO_DISABLE=1"),
        ("RuntimeError: CUDA error: device kernel image is invalid", "Move the caches of compiled kernels away", "~/.triton/cache"),
        (
            "AssertionError: The `grad_fn` is needed to access the `AccumulateGrad` and register the post-backward hook",
            "Use non-reentrant activation checkpointing",
            "use_reentrant",
        ),
        ("AttributeError: 'FullyShardedDataParallel' object has no attribute '_is_root'", "Wrap the model again", "FSDP(copy.deepcopy"),
        (
            "RuntimeError: Given groups=1, weight of size [32, 3, 3, 3], expected input[4, 96, 128, 3] to have 3 channels, but got 96 channels instead",
            "Put the channels second: this batch, [4, 96, 128, 3]",
            "permute(0, 3, 1, 2)",
        ),
        (
            "RuntimeError: Given groups=1, weight of size [32, 3, 3, 3], expected input[4, 4, 96, 128] to have 3 channels, but got 4 channels instead",
            "Convert every image to three channels",
            "convert('RGB')",
        ),
        (
            "n2:5:6 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.9.8.7<40001> failed : Connection refused",
            "Look for the first error in the log of the process at 10.9.8.7<40001>",
            "LOG_OF_THAT_RANK",
        ),
        (
            "n2:5:6 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 172.17.0.1<40001> failed : Connection refused",
            "Tell NCCL which interface connects the nodes",
            "NCCL_SOCKET_IFNAME",
        ),
        (
            'OSError: [WinError 182] The operating system cannot run %1. Error loading "E:\\v\\lib\\site-packages\\torch\\lib\\fbgemm.dll" or one of its dependencies.',
            "Find the copies of the DLLs",
            "--force-reinstall",
        ),
        (
            "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input.",
            "Make the input contiguous before the call, as the message says",
            "contiguous()",
        ),
        ("ValueError: Invalid weight_decay value: -0.5", "Pass numbers in the optimizer's range", ""),
        ("ValueError: std evaluated to zero after conversion to torch.uint8, leading to division by zero.", "Convert the images to float before Normalize", "ToTensor"),
        ("RuntimeError: take(): Expected a long tensor for index, but got Double", "Convert the index to int64", "index.long()"),
        ("RuntimeError: expected scalar type Long but found Double", "Convert class labels and indices to int64", "target.long()"),
        ("RuntimeError: scatter(): Expected self.dtype to be equal to src.dtype", "Convert one of the two to the other's dtype", "x.dtype"),
        ("RuntimeError: curand error: CURAND_STATUS_PREEXISTING_FAILURE when calling `curandGenerate(gen)`", "Find the kernel that failed before", "CUDA_LAUNCH_BLOCKING=1"),
        ("TypeError: Expected state_dict to be dict-like, got <class 'NoneType'>.", "Pass load_state_dict the dictionary of the weights", "list(state)"),
        ("RuntimeError: Expected a non empty 1-dimensional tensor", "Find the files without content", "-size 0"),
        ("ValueError: Make sure that the channel dimension of the pixel values match with the one set in the configuration.", "Convert every image to the model's channels", "convert('RGB')"),
        ("RuntimeError: Parent directory runs/b7/weights does not exist.", "Create the folder before saving", "mkdir -p runs/b7/weights"),
        (
            "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'NoneType'>",
            "Find why __getitem__ returns None",
            "is not None",
        ),
        ("RuntimeError: shape '[64, 400]' is invalid for input of size 102400", "Choose sizes whose product is 102,400", "reshape("),
        ("RuntimeError: view size is not compatible with input tensor's size and stride", "Use .reshape(...) instead of .view(...)", "reshape("),
        (
            "RuntimeError: invalid argument 0: Sizes of tensors must match except in dimension 0. Got 500 and 375 in dimension 3 at /pytorch/aten/src/TH/generic/THTensor.cpp:612",
            "Resize or pad the samples of a batch to one size",
            "Resize",
        ),
        ("RuntimeError: max_pool3d_with_indices_out_cuda_frame failed with error code 0", "Look at the input of max_pool3d_with_indices_out", "numel()"),
        (
            "AssertionError: Input image size (256*256) doesn't match model (384*384).",
            "Resize or pad the input to 384*384 first",
            "Resize",
        ),
        ("torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", "Start torchrun on every node", "--rdzv-id"),
        ("IndexError: index out of range in self", "Compare the ids with the embedding's rows", "num_embeddings"),
        (
            "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:2! (when checking argument for argument index in method wrapper_gather)",
            "Move what the message names, the argument index of wrapper_gather",
            "to(model.device)",
        ),
    ],
)  # fmt: skip
def test_first_fix(log: str, fix: str, command: str) -> None:
    assert_first_fix(log, fix, command)


@pytest.mark.parametrize(
    ("log", "unfit"),
    [
        ("RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn", ("checkpointing", "anomaly")),
        (loading('Missing key(s) in state_dict: "boundary.0.weight".'), ("prefix", "k[7:]", "library version")),
        (
            loading("size mismatch for down.0.proj.weight: copying a param with shape torch.Size([320, 9]) from checkpoint, the shape in current model is torch.Size([320, 8])."),
            ("head", "embeddings"),
        ),
        (
            ("RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. Since "
            "`find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs participate in computing loss."),
            ("Let DDP detect", "checkpointing"),
        ),
        ("RuntimeError: HIP error: invalid device function\nGPU: gfx1151", ("10.3.0 #", "RX 6000")),
        ("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", ("8.9",)),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x40 and 44x7)", ("three channels", "text encoder", "one-hot")),
        ("TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()", ("Move the model once",)),
        ("RuntimeError: expected scalar type Long but found Float", ("float32", "bfloat16")),
        ("KeyError: 'unexpected key \"module.stem.weight\" in state_dict'", ("Print the checkpoint's keys",)),
    ],
)  # fmt: skip
def test_unfit_advice_is_left_out(log: str, unfit: tuple[str, ...]) -> None:
    assert_left_out(first(log).fixes, unfit)


def test_a_request_beyond_the_gpu_is_compared_with_this_gpu() -> None:
    one = first(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 55.57 GiB. GPU 0 has a total capacity of 23.57 GiB of which "
        "20.11 GiB is free."
    )
    assert one.title == "One tensor of 55.57 GiB was requested, more than this whole GPU has (23.57 GiB)"
    assert "together don't fit" not in one.explanation


def test_enough_free_memory_is_not_called_too_little() -> None:
    one = first(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.26 GiB. GPU 0 has a total capacity of 23.57 GiB of which "
        "3.03 GiB is free. Of the allocated memory 19.80 GiB is allocated by PyTorch, and 310.20 MiB is reserved by PyTorch but unallocated."
    )
    assert one.title == "2.26 GiB were refused although 3.03 GiB of 23.57 GiB are free"
    assert "too little" not in one.explanation

"""Small programs that test something in a separate process, where a crash or a hang is a result.

Each prints lines "key=value"; its other output and its exit are diagnosed like any job's log.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from logsense.util.noun import NamedTuple

MOST_BYTES = 1 << 20

# The CUDA driver API, without any framework. https://docs.nvidia.com/cuda/cuda-driver-api/
DRIVER = """
import ctypes, sys
name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
try:
    cuda = ctypes.CDLL(name)
except OSError as error:
    print(f"missing={error}"); sys.exit(3)
status = cuda.cuInit(0)
text = ctypes.c_char_p()
cuda.cuGetErrorName(status, ctypes.byref(text))
print(f"init={status}"); print(f"name={(text.value or b'?').decode()}")
if status: sys.exit(4)
number = ctypes.c_int()
cuda.cuDriverGetVersion(ctypes.byref(number)); print(f"version={number.value // 1000}.{number.value % 1000 // 10}")
cuda.cuDeviceGetCount(ctypes.byref(number)); print(f"count={number.value}")
"""

TORCH = """
import torch
print(f"version={torch.__version__}"); print(f"cuda={torch.version.cuda}")
print(f"hip={getattr(torch.version, 'hip', None)}")
count = torch.cuda.device_count(); print(f"count={count}")
torch.cuda.init()
print(f"cudnn={torch.backends.cudnn.version()}")
for number in range(count):
    major, minor = torch.cuda.get_device_capability(number)
    print(f"device{number}={torch.cuda.get_device_name(number)} ({major}.{minor})")
print(f"archs={' '.join(torch.cuda.get_arch_list())}")
"""

# A real allocation, matrix product and convolution on every GPU, each checked against the CPU.
TORCH_WORK = """
import torch
for number in range(torch.cuda.device_count()):
    device = torch.device("cuda", number)
    a = torch.randn(256, 256); product = a @ a
    assert torch.allclose((a.to(device) @ a.to(device)).cpu(), product, rtol=1e-2, atol=1e-1), "wrong product"
    print(f"product{number}=right", flush=True)
    image, kernel = torch.randn(1, 3, 32, 32), torch.randn(8, 3, 3, 3)
    convolve = torch.nn.functional.conv2d
    right = convolve(image, kernel)
    have = convolve(image.to(device), kernel.to(device)).cpu()
    assert torch.allclose(have, right, rtol=1e-2, atol=1e-1), "wrong convolution"
    torch.cuda.synchronize(device)
    print(f"convolution{number}=right", flush=True)
"""

# An NCCL all-reduce over all GPUs.
TORCH_TOGETHER = """
import os, torch, torch.distributed as dist, torch.multiprocessing as mp
def work(rank, count, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=count)
    value = torch.full((1024,), float(rank + 1), device="cuda")
    dist.all_reduce(value)
    torch.cuda.synchronize()
    assert value[0].item() == count * (count + 1) / 2, "wrong sum"
    dist.destroy_process_group()
if __name__ == "__main__":
    import socket
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0)); port = free.getsockname()[1]
    count = torch.cuda.device_count()
    reaches = torch.cuda.can_device_access_peer
    without = [(a, b) for a in range(count) for b in range(count) if a != b and not reaches(a, b)]
    print(f"without_peer_access={len(without)}")
    mp.spawn(work, (count, port), nprocs=count)
    print("sum=right")
"""

TENSORFLOW = """
import os; os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
import tensorflow as tf
print(f"version={tf.__version__}"); print(f"built_with_cuda={tf.test.is_built_with_cuda()}")
info = tf.sysconfig.get_build_info()
print(f"cuda={info.get('cuda_version')}"); print(f"cudnn={info.get('cudnn_version')}")
gpus = tf.config.list_physical_devices("GPU"); print(f"count={len(gpus)}")
for number in range(len(gpus)):
    with tf.device(f"/GPU:{number}"):
        a = tf.random.normal((256, 256)); tf.linalg.matmul(a, a).numpy()
        tf.nn.conv2d(tf.random.normal((1, 32, 32, 3)), tf.random.normal((3, 3, 3, 8)), 1, "SAME").numpy()
    print(f"work{number}=done", flush=True)
"""

JAX = """
import os; os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax, jax.numpy as jnp
print(f"version={jax.__version__}")
devices = jax.devices(); print(f"platform={devices[0].platform}"); print(f"count={len(devices)}")
if devices[0].platform != "cpu":
    for number, device in enumerate(devices):
        a = jax.device_put(jnp.ones((256, 256)), device); (a @ a).block_until_ready()
        print(f"work{number}=done", flush=True)
"""


class Probed(NamedTuple):
    """The output of a probe and how it ended: `status` is negative for a signal, None if it exceeded `limit_s`."""

    values: Mapping[str, str]
    output: bytes
    status: int | None
    limit_s: float

    @property
    def good(self) -> bool:
        """Whether it succeeded."""
        return self.status == 0

    def end(self) -> str:
        """Return how it ended, in words."""
        if self.status is None:
            return f"did not finish within {self.limit_s:g} s"
        if self.status < 0:
            name = {one.value: one.name for one in signal.Signals}.get(-self.status, "?")
            return f"was killed by signal {-self.status} ({name})"
        return f"exited with status {self.status}"


def probe(program: str, interpreter: str, limit_s: float, environ: Mapping[str, str] | None = None) -> Probed:
    """Run `program` with `interpreter`, in an empty folder and for at most `limit_s` seconds."""
    environ = dict(os.environ if environ is None else environ)
    with tempfile.TemporaryDirectory(prefix="logsense-", ignore_cleanup_errors=True) as folder:
        path = os.path.join(folder, "probe.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        try:
            process = subprocess.Popen(
                [interpreter, path],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                cwd=folder, env=environ, start_new_session=sys.platform != "win32",
            )  # fmt: skip
        except OSError as error:
            return Probed({}, f"{interpreter}: {error.strerror}\n".encode(), 127, limit_s)
        status: int | None
        try:
            output, _ = process.communicate(timeout=limit_s)
            status = process.returncode
        except subprocess.TimeoutExpired:
            _kill(process)
            try:
                output, _ = process.communicate(timeout=2)
            except subprocess.TimeoutExpired:
                output = b""  # a process that waits for a device can't even be killed
            status = None
    output = output[-MOST_BYTES:].replace(path.encode(), b"probe.py")
    pairs = (line.partition("=") for line in output.decode("utf-8", "replace").splitlines())
    values = {key: value for key, equals, value in pairs if equals and key.isidentifier()}
    return Probed(values, output, status, limit_s)


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass

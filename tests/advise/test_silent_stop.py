"""A log that just ends: the headline says so, and the first step is the check that decides."""

from __future__ import annotations

import pytest

from tests.answers import assert_first_fix, first

STARTED = """\
2026-05-11 10:11:10.0 I tensorflow/core/common_runtime/gpu/gpu_device.cc:1241] Created TensorFlow device (/job:localhost/replica:0/task:0/device:GPU:0 with 14221 MB memory) -> physical GPU (device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5)
Epoch 1/10
"""
LOADED = {
    "libcudnn.so.7": "2026-05-11 10:11:12.5 I tensorflow/stream_executor/platform/default/dso_loader.cc:44] "
    "Successfully opened dynamic library libcudnn.so.7\n",
    "cuDNN": "2026-05-11 10:11:12.5 I tensorflow/stream_executor/cuda/cuda_dnn.cc:366] Loaded cuDNN version 8101\n",
}


@pytest.mark.parametrize("library", LOADED)
def test_the_log_ends_after_cudnn_was_loaded(library: str) -> None:
    answer = first(STARTED + LOADED[library])
    assert answer.title == f"The log stops without an error after {library} was loaded"
    assert answer.evidence[0].text
    assert_first_fix(STARTED + LOADED[library], "Run one convolution in a fresh process", "tf.nn.conv2d")

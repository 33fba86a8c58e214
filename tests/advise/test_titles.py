"""A headline has the number or the name that matters, if the log has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.render.words import headline_in_words

FAILING = Path(__file__).parents[1] / "failing"
PLACE = re.compile(r" \((?:[\w.-]+\.py:\d+|step [\d,]+)\)$")
NUMBER_OR_NAME = re.compile(r"\d|[a-z][A-Z]|_|\w\.\w|/\w|'")


@pytest.mark.parametrize(
    ("log", "headline"),
    [
        (
            (
                "RuntimeError: Error(s) in loading state_dict for Net:\n"
                "\tsize mismatch for head.weight: copying a param with shape torch.Size([100, 8]) from checkpoint, "
                "the shape in current model is torch.Size([10, 8])."
            ),
            "head.weight is [100, 8] in the checkpoint, [10, 8] in the model Net",
        ),
        (
            (
                "RuntimeError: Error(s) in loading state_dict for Net:\n"
                '\tMissing key(s) in state_dict: "a.weight". \n\tUnexpected key(s) in state_dict: "module.a.weight". '
            ),
            "The checkpoint has module.a.weight where the model Net has a.weight",
        ),
        (
            'RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "a.weight". ',
            "The checkpoint lacks a.weight of the model Net",
        ),
        (
            'RuntimeError: Error(s) in loading state_dict for Net:\n\tUnexpected key(s) in state_dict: "b.weight". ',
            "The model Net has no b.weight, which is in the checkpoint",
        ),
        ("Loss is inf, stopping training", "The loss is inf"),
        (
            "RuntimeError: Function 'ExpBackward0' returned nan values in its 0th output.",
            "The operation ExpBackward0 returned NaN or infinity",
        ),
        ("step 40 loss: nan", "The loss is nan"),
        (
            (
                "RuntimeError: [4]: params[6] in this process with sizes [3, 3] appears not to match sizes of the same "
                "param in process 0."
            ),
            "Parameter 6 of rank 4 is [3, 3], unlike that of rank 0",
        ),
        (
            (
                "RuntimeError: DDP expects same model across all ranks, but Rank 3 has 13 params, while rank 0 has "
                "inconsistent 12 params."
            ),
            "Rank 3 has 13 parameters, rank 0 has 12",
        ),
        (
            (
                "RuntimeError: Detected mismatch between collectives on ranks. Rank 2 is running collective: "
                "CollectiveFingerPrint(SequenceNumber=3, OpType=ALLREDUCE, TensorShape=[8], TensorDtypes=Float), but "
                "Rank 0 is running collective: CollectiveFingerPrint(SequenceNumber=3, OpType=ALLREDUCE, "
                "TensorShape=[9], TensorDtypes=Float)."
            ),
            "Rank 2 called ALLREDUCE of shape [8], rank 0 of [9]",
        ),
        (
            "ValueError: expected sequence of length 12 at dim 1 (got 31)",
            "Samples of a batch differ: 12 and 31",
        ),
        (
            "RuntimeError: Given normalized_shape=[32], expected input with shape [*, 32], but got input of size[4, 16]",
            "Shape mismatch: expected [32], got [4, 16]",
        ),
        (
            (
                "xgboost.core.XGBoostError: Check failed: learner_model_param_.num_feature >= p_fmat->Info().num_col_ "
                "(7 vs. 8) : Number of columns does not match number of features in booster."
            ),
            "Shape mismatch: expected 7, got 8",
        ),
        (
            (
                "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
                "<class 'datetime.date'>"
            ),
            "A sample contains <class 'datetime.date'>, which can't be batched",
        ),
        (
            "OpenBLAS blas_thread_init: pthread_create failed for thread 9 of 32: Resource temporarily unavailable",
            "OpenBLAS couldn't start thread 9 of 32: a limit is reached",
        ),
        (
            (
                "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=77.batch. Some of your processes may have been "
                "killed by the cgroup out-of-memory handler."
            ),
            "Slurm step 77.batch ran out of RAM",
        ),
        (
            "RuntimeError: bincount_cuda does not have a deterministic implementation, but you set 'torch.use_deter",
            "Deterministic mode is on, but bincount_cuda doesn't support it",
        ),
        (
            "Could not find the bitsandbytes CUDA binary at PosixPath('/env/bitsandbytes/libbitsandbytes_cuda131.so')",
            "bitsandbytes has no library for this CUDA (libbitsandbytes_cuda131)",
        ),
        (
            "wandb: Network error (ConnectionError), entering retry loop.",
            "Weights & Biases can't be reached",
        ),
        (
            "train.py: error: argument --steps: invalid int value: 'many'",
            "--steps has an invalid value: 'many'",
        ),
        (
            (
                "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. "
                "PyTorch has CUDA Version=13.0 and torchvision has CUDA Version=12.8."
            ),
            "torch is built for CUDA 13.0, torchvision for CUDA 12.8",
        ),
        (
            (
                "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and "
                "outgoing traffic has been disabled."
            ),
            "The Hub's offline mode is on, and the file is not in the cache",
        ),
        (
            "OSError: [Errno 122] Disk quota exceeded: 'out/a.pt'",
            "The disk quota is used up: out/a.pt couldn't be written",
        ),
        (
            "ERROR: Cannot install torch==2.4.0 and nltk==3 because these package versions have conflicting dependencies.",
            "pip finds no versions that fit together for torch==2.4.0 and nltk==3",
        ),
        (
            "ERROR: Package 'numpy' requires a different Python: 3.8.10 not in '>=3.9'",
            "numpy needs Python >=3.9, but this is 3.8.10",
        ),
        ("step 4 loss 2.1\nsrun: error: Node failure on g12", "Node g12 failed"),
        (
            "slurmstepd: error: *** JOB 88 ON g3 CANCELLED AT 2026-11-30T02:00:00 DUE TO PREEMPTION ***",
            "Slurm preempted job 88",
        ),
        (
            "python: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /w/tool)",
            "This system's glibc is too old: the binary needs GLIBC_2.34",
        ),
        (
            "ImportError: /env/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by /env/lib/scipy/a.so)",
            "The libstdc++ found is too old: the binary needs GLIBCXX_3.4.29",
        ),
        (
            'yaml.scanner.ScannerError: mapping values are not allowed here\n  in "conf/a.yaml", line 7, column 9',
            "conf/a.yaml is not valid YAML (line 7)",
        ),
        (
            (
                'Traceback (most recent call last):\n  File "eval.py", line 5, in <module>\n'
                '    net = torch.load("runs/last.pt")\n'
                '  File "/env/lib/python3.11/site-packages/torch/serialization.py", line 9, in load\n    x()\n'
                "_pickle.UnpicklingError: invalid load key, 'v'."
            ),
            "runs/last.pt begins with v, so it is not a pickle",
        ),
        (
            (
                "DataLossError: Detected unsupported operations when trying to compile graph __inference_f[] on "
                "XLA_CPU_JIT: AsString (No registered 'AsString' OpKernel for XLA_CPU_JIT devices"
            ),
            "XLA can't compile AsString, which the step uses",
        ),
        (
            "InvalidArgumentError: gradients of dense_1 : Tensor had NaN values [Op:CheckNumerics]",
            "The gradients of dense_1 are not finite",
        ),
        (
            "RuntimeError: Output 0 of AllReduceBackward is a view and is being modified inplace.",
            "An in-place operation changed a view that AllReduceBackward returned",
        ),
        (
            "torch._dynamo.exc.FailOnRecompileLimitHit: recompile_limit reached with fullgraph=True. Excessive work",
            "torch.compile can't capture this: recompile_limit reached with fullgraph=True",
        ),
        (
            "RuntimeError: DataLoader worker (pid 1040211) is killed by signal: Killed.",
            "Data-loader worker 1040211 was killed; most likely RAM ran out",
        ),
        ("Detected XID 79 for GPU 5", "GPU 5 no longer responds on PCIe (Xid 79)"),
        (
            (
                'ValueError: For parameter "kernel" in "/", the given initializer is expected to generate shape (9, 4), '
                "but the existing parameter it received has shape (8, 4)."
            ),
            "kernel is (8, 4) in the checkpoint, (9, 4) in the model",
        ),
    ],
)
def test_a_title_has_what_the_message_names(log: str, headline: str, built_in_catalog: Catalog) -> None:
    report = explain_text(f"{log}\n".encode(), built_in_catalog, name="a.log")
    assert report.diagnoses[0].title == headline


def test_most_headlines_name_more_than_a_place(built_in_catalog: Catalog) -> None:
    """Read the headlines that are listed here when this fails: does the log have a number or a name for them?"""
    cases = yaml.safe_load((FAILING / "cases.yaml").read_text(encoding="utf-8"))
    headlines = []
    for case in cases[:: max(1, len(cases) // 100)]:
        report = explain_text((FAILING / case["file"]).read_bytes(), built_in_catalog, name=case["file"])
        headlines.append(PLACE.sub("", headline_in_words(report)))
    without = [one for one in headlines if not NUMBER_OR_NAME.search(one)]
    assert len(without) <= 0.3 * len(headlines), "\n".join(without)

"""The same message gets another answer where the log shows another situation."""

from __future__ import annotations

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text
from tests.answers import assert_first_fix, assert_left_out, first

OFFLINE = (
    "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and outgoing"
    " traffic has been disabled. To enable hf.co look-ups and downloads online, set 'local_files_only' to False."
)
UNREACHABLE = (
    "huggingface_hub.errors.LocalEntryNotFoundError: An error happened while trying to locate the file on the Hub and"
    " we cannot find the requested files in the local cache. Please check your connection and try again"
)


def test_offline_mode_is_no_problem_of_the_network() -> None:
    assert_first_fix(OFFLINE, "If this machine has internet access, unset the offline mode", "unset HF_HUB_OFFLINE")
    assert "The Hub wasn't asked" in first(OFFLINE).explanation
    rerun = explain_text(OFFLINE.encode(), load_catalog()).rerun
    assert rerun
    assert rerun.verdict == "fix-first"
    assert_left_out(first(UNREACHABLE).fixes, ("unset HF_HUB_OFFLINE",))


COLUMNS = """datasets.table.CastError: Couldn't cast
text: string
meta: int64
to
{'text': Value('string')}
because column names don't match

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/work/train.py", line 7, in <module>
    load_dataset('json', data_files=files)
  File "/opt/env/lib/python3.11/site-packages/datasets/builder.py", line 1887, in _prepare_split_single
    raise DatasetGenerationError("An error occurred while generating the dataset") from e
datasets.exceptions.DatasetGenerationError: An error occurred while generating the dataset
"""
TYPES = "TypeError: Couldn't cast array of type\nstruct<a: string>\nto\n{'a': Value(dtype='string', id=None)}\n"


def test_files_with_other_columns_have_no_wrong_types() -> None:
    assert first(COLUMNS).title == "The data files have different columns"
    assert [fix.do.split(" (")[0] for fix in first(COLUMNS).fixes] == ["Give all files the same columns"]
    assert first(TYPES).fixes[0].do.startswith("Use one type per column")


RECURSION = """Traceback (most recent call last):
  File "/work/train.py", line 8, in <module>
    copy.deepcopy(model)
  File "/work/train.py", line 4, in __getattr__
    return getattr(self.inner, name)
  [Previous line repeated 994 more times]
RecursionError: maximum recursion depth exceeded
"""


def test_the_exception_is_the_proof_of_a_recursion() -> None:
    assert (first(RECURSION).evidence[0].text or "").startswith("RecursionError")
    assert (first(RECURSION[: RECURSION.index("RecursionError")]).evidence[0].text or "").startswith("[Previous line")


def test_a_function_is_named_without_its_address() -> None:
    said = first("_pickle.PicklingError: Can't pickle <function pad at 0x7f0a5b86eb60>: attribute lookup pad failed")
    assert said.title.startswith("pad can't be pickled")


ALIAS = """Traceback (most recent call last):
  File "{file}", line 6, in <module>
    a = np.zeros(3, dtype=np.float)
AttributeError: module 'numpy' has no attribute 'float'.
`np.float` was a deprecated alias for the builtin `float`. To avoid this error in existing code, use `float` by itself.
"""


def test_an_old_name_is_changed_in_the_users_code_but_not_in_a_package() -> None:
    assert_first_fix(ALIAS.format(file="/work/train.py"), "Replace np.float in the code", "grep -rnE")
    packaged = ALIAS.format(file="/opt/env/lib/python3.11/site-packages/skmultilearn/base.py")
    assert_first_fix(packaged, "Pin NumPy", '"numpy<1.24"')


SILENT = """[rank0]: RuntimeError: [../pair.cc:553] Connection closed by peer [127.0.0.1]:11692
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-30_03:02:52
  host      : localhost
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 23925)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 23925
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_03:02:52
  host      : localhost
  rank      : 1 (local_rank: 1)
  exitcode  : 3 (pid: 23926)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""


def test_the_launchers_report_of_a_status_heads_the_answer() -> None:
    assert first(SILENT).title.startswith("Rank 1 exited first, with status 3")
    assert "sys.exit(3)" in first(SILENT).explanation


CUDNN = "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n"
ASSERTION = (
    "/pytorch/aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0],"
    " thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed.\n"
)


def test_a_failed_cudnn_kernel_is_no_bad_index_without_an_assertion() -> None:
    assert first(CUDNN).cause == "env.cudnn-mismatch"
    assert first(ASSERTION + CUDNN).cause == "code.index-out-of-range"


MISSING = """Traceback (most recent call last):
  File "/work/train.py", line 1, in <module>
    open(path)
FileNotFoundError: [Errno 2] No such file or directory: '/data/my set/train.json'
"""


def test_a_path_is_whole_with_its_blanks() -> None:
    assert first(MISSING).title == "/data/my set/train.json doesn't exist"
    assert "ls -ld '/data/my set/train.json'" in (first(MISSING).fixes[0].run or "")

"""Tracebacks of all programs become one record each, with the exception that ends them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from logsense.model.record import Frame, Record
from logsense.records.records import records

FRAMES = """\
Traceback (most recent call last):
  File "/job/train.py", line 9, in <module>
    main()
  File "/job/train.py", line 5, in main
    step(batch)
    ^^^^^^^^^^^
"""


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("pyarrow.lib.ArrowInvalid: JSON parse error: Missing a name in row 3", "pyarrow.lib.ArrowInvalid"),
        ("onnxruntime.capi.onnxruntime_pybind11_state.InvalidProtobuf: [ONNXRuntimeError] : 7", "InvalidProtobuf"),
        ("psutil.NoSuchProcess: process no longer exists (pid=3)", "psutil.NoSuchProcess"),
        ("pkg_resources.VersionConflict: (numpy 2.0, numpy<2)", "pkg_resources.VersionConflict"),
    ],
)
def test_exception_named_by_what_is_wrong(line: str, kind: str) -> None:
    raised = one(line).raised
    assert raised
    assert raised.type.endswith(kind)
    assert raised.message == line.partition(": ")[2]


@pytest.mark.parametrize(
    "line", ["my.data.ArrowReader: opened 3 shards", "my.data.Badge: opened 3 shards", "Invalid: 3"]
)
def test_logger_named_like_a_class(line: str) -> None:
    assert one(line).raised is None


def read(text: str) -> list[Record]:
    return records(dedent(text).encode(), source="log")


def one(text: str) -> Record:
    found = read(text)
    assert len(found) == 1, [record.text for record in found]
    return found[0]


def test_plain() -> None:
    record = one(FRAMES + "ValueError: bad value\n")
    assert record.raised is not None
    assert record.raised.type == "ValueError"
    assert record.raised.message == "bad value"
    assert record.raised.frames == (Frame("/job/train.py", 9, "<module>"), Frame("/job/train.py", 5, "main"))
    assert record.raised.chained == ()
    assert record.lines == tuple(range(1, 8))


def test_bare_name() -> None:
    record = one(FRAMES + "Exception: bad\n")
    assert record.raised is not None
    assert record.raised.type == "Exception"


def test_exception_behind_a_prefix() -> None:
    record = one("ERROR 10-17 12:43:16 engine.py:160] ValueError: bad")
    assert record.raised is not None
    assert record.raised.type == "ValueError"


def test_warning_is_no_exception() -> None:
    assert one("UserWarning: careful").raised is None


def test_notebook_frames_without_header() -> None:
    record = one("""\
        File ~/lib/x.py:8876, in f(a, b)

        File ~/lib/y.pyx:17, in cuda.g()

        RuntimeError: bad
        """)
    assert record.raised is not None
    assert (record.raised.type, len(record.raised.frames)) == ("RuntimeError", 2)


def test_between_other_lines() -> None:
    found = read("epoch 1\n" + FRAMES + "ValueError: bad value\nsrun: error: node1: task 0: Exited with exit code 1\n")
    assert [record.line for record in found] == [1, 2, 9]
    assert found[2].text.startswith("srun")


def test_headers_of_other_spellings() -> None:
    for header in (
        "Traceback  (most recent call last):",
        "Traceback (most recent call last)",
        "Traceback (most last recent call):",
        "Traceback (most recent last call):",
        "Traceback (innermost last):",
    ):
        found = read(f'{header}\n  File "x.py", line 1, in f\n    g()\nRuntimeError: bad\n')
        assert found[-1].raised is not None
        assert found[-1].raised.type == "RuntimeError"


def test_message_of_several_lines() -> None:
    record = one(
        FRAMES
        + """\
RuntimeError: CUDA error: device-side assert triggered
CUDA kernel errors might be asynchronously reported at some other API call.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1.
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
"""
    )
    assert record.raised is not None
    assert record.raised.message.endswith("enable device-side assertions.")


def test_message_ends_where_something_else_begins() -> None:
    for line in (
        "2026-11-20 10:00:00,123 - root - INFO - next",
        "Epoch 3: loss 0.5",
        "  5%|▍         | 301/6631 [09:58<2:53:26,  1.64s/it]",
        "terminate called after throwing an instance of 'c10::Error'",
        "Traceback (most recent call last):",
        "/x/y.py:12: UserWarning: careful",
        "Segmentation fault (core dumped)",
    ):
        found = read(FRAMES + "RuntimeError: bad\n" + line + "\n")
        assert [record.line for record in found] == [1, 8], line


def test_state_dict_errors_are_whole() -> None:
    record = one(
        FRAMES
        + """\
RuntimeError: Error(s) in loading state_dict for Net:
\tMissing key(s) in state_dict: "fc.weight".

\tsize mismatch for conv1.weight: copying a param with shape torch.Size([1]) from checkpoint.
"""
    )
    assert record.raised is not None
    assert "size mismatch" in record.raised.message


def test_tensor_in_a_message() -> None:
    record = one(
        FRAMES
        + """\
ValueError: Expected parameter loc to satisfy the constraint Real(), but found invalid values:
tensor([[nan, nan],
        [nan, nan]], device='cuda:0')
"""
    )
    assert "device='cuda:0'" in record.text


def test_chain_while_handling() -> None:
    record = one(
        """\
        Traceback (most recent call last):
          File "a.py", line 1, in f
            g()
        KeyError: 'x'

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "a.py", line 3, in h
            raise ValueError("y")
        ValueError: y
        """
    )
    assert record.raised is not None
    assert (record.raised.type, record.raised.message) == ("ValueError", "y")
    assert [(part.type, part.message) for part in record.raised.chained] == [("KeyError", "'x'")]
    assert record.raised.chained[0].frames == (Frame("a.py", 1, "f"),)


def test_chain_of_a_direct_cause() -> None:
    record = one(
        """\
        multiprocessing.pool.RemoteTraceback:
        \"\"\"
        Traceback (most recent call last):
          File "a.py", line 1, in f
            g()
        OSError: [Errno 28] No space left on device
        \"\"\"

        The above exception was the direct cause of the following exception:

        Traceback (most recent call last):
          File "a.py", line 3, in h
            pool.map()
        OSError: [Errno 28] No space left on device
        """
    )
    assert record.raised is not None
    assert record.raised.type == "OSError"
    assert [part.type for part in record.raised.chained] == ["multiprocessing.pool.RemoteTraceback", "OSError"]


def test_traceback_of_a_worker_inside_the_message() -> None:
    record = one(
        """\
        Traceback (most recent call last):
          File "train.py", line 3, in <module>
            for batch in loader:
        RuntimeError: Caught FileNotFoundError in DataLoader worker process 0.
        Original Traceback (most recent call last):
          File "/lib/worker.py", line 308, in _worker_loop
            data = fetcher.fetch(index)
        FileNotFoundError: [Errno 2] No such file or directory: 'a.jpg'
        """
    )
    assert record.raised is not None
    assert record.raised.type == "FileNotFoundError"
    assert record.raised.chained[0].message == "Caught FileNotFoundError in DataLoader worker process 0."


def test_traceback_of_a_spawned_process() -> None:
    record = one(
        """\
        Traceback (most recent call last):
          File "train.py", line 3, in <module>
            mp.spawn(main)
        torch.multiprocessing.spawn.ProcessRaisedException:

        -- Process 1 terminated with the following error:
        Traceback (most recent call last):
          File "/lib/spawn.py", line 69, in _wrap
            fn(i, *args)
        RuntimeError: CUDA error: out of memory
        """
    )
    assert record.raised is not None
    assert record.raised.type == "RuntimeError"


def test_graph_error_with_frames_inside_its_message() -> None:
    record = one(
        """\
        Traceback (most recent call last):
          File "train.py", line 3, in <module>
            model.fit(x)
        tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:

        Detected at node 'model/embedding/embedding_lookup' defined at (most recent call last):
            File "train.py", line 3, in <module>
              model.fit(x)
        Node: 'model/embedding/embedding_lookup'
        indices[0,5] = 30 is not in [0, 30)
        \t [[{{node model/embedding/embedding_lookup}}]] [Op:__inference_train_function_1234]
        """
    )
    assert record.raised is not None
    assert record.raised.type == "tensorflow.python.framework.errors_impl.InvalidArgumentError"
    assert "indices[0,5] = 30" in record.raised.message
    assert record.raised.frames == (Frame("train.py", 3, "<module>"),)


def test_exception_group() -> None:
    record = one(
        """\
          + Exception Group Traceback (most recent call last):
          |   File "a.py", line 3, in <module>
          |     asyncio.run(main())
          | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
          +-+---------------- 1 ----------------
            | Traceback (most recent call last):
            |   File "a.py", line 9, in f
            |     raise ValueError("one")
            | ValueError: one
            +---------------- 2 ----------------
            | Traceback (most recent call last):
            |   File "a.py", line 19, in g
            |     raise KeyError("two")
            | KeyError: 'two'
            +------------------------------------
        """
    )
    assert record.raised is not None
    assert record.raised.type == "KeyError"
    assert record.raised.frames == (Frame("a.py", 19, "g"),)
    assert [part.type for part in record.raised.chained] == ["ExceptionGroup", "ValueError"]


def test_frames_without_header() -> None:
    record = one(
        """\
          File "/x/hooks.py", line 790, in new_forward
            return f()
          File "/x/model.py", line 12, in forward
        RuntimeError: Expected all tensors to be on the same device
        """
    )
    assert record.raised is not None
    assert record.raised.type == "RuntimeError"
    assert len(record.raised.frames) == 2


def test_frames_without_header_and_type() -> None:
    found = read(
        """\
        assertion failed

          File "/x/hooks.py", line 790, in new_forward
          File "/x/model.py", line 12, in forward
        CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`
        """
    )
    assert len(found) == 2
    assert found[1].raised is not None
    assert found[1].raised.message.endswith("CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`")


def test_lost_indentation() -> None:
    record = one(
        """\
        Traceback (most recent call last):
        File "x.py", line 3, in <module>
        main()
        File "y.py", line 4, in main
        foo()
        RuntimeError: bad
        """
    )
    assert record.raised is not None
    assert record.raised.type == "RuntimeError"
    assert len(record.raised.frames) == 2


def test_indented_paste() -> None:
    text = "".join("    " + line for line in (FRAMES + "ValueError: bad\n").splitlines(keepends=True))
    found = records(("a note\n" + text).encode(), source="log")
    assert found[-1].raised is not None
    assert found[-1].raised.type == "ValueError"


def test_behind_a_bar_without_line_break() -> None:
    found = read("  0%|          | 0/800 [00:00<?, ?it/s]" + FRAMES + "ValueError: bad\n")
    assert [record.line for record in found] == [1, 1]
    assert found[1].text.startswith("Traceback")
    assert found[1].raised is not None


def test_behind_another_message_without_line_break() -> None:
    found = read("CUDA error after cudaEventDestroy: device-side assert triggered" + FRAMES + "ValueError: bad\n")
    assert found[0].text.endswith("assert triggered")
    assert found[1].raised is not None


def test_bare_exception_lines() -> None:
    found = read("RuntimeError: one\nKeyboardInterrupt\ncv2.error: OpenCV(4.5) failed\nplain\n")
    assert [record.raised.type if record.raised else None for record in found] == [
        "RuntimeError",
        "KeyboardInterrupt",
        "cv2.error",
    ]


def test_prose_is_no_exception() -> None:
    found = read("Error: no such thing\nNote: RuntimeError is an exception\nloss: 0.5\nThe Exception occurred\n")
    assert all(record.raised is None or record.raised.type == "Error" for record in found)
    assert len(found) == 4


def test_process_names_and_ignored_exceptions_lead_in() -> None:
    record = one("Process Process-1:\n" + FRAMES + "ValueError: bad\n")
    assert record.text.startswith("Process Process-1:")
    record = one("Exception ignored in: <function X.__del__ at 0x7f>\n" + FRAMES + "ValueError: bad\n")
    assert record.text.startswith("Exception ignored")
    assert record.raised is not None


def test_logged_exception_joins_its_message() -> None:
    record = one("2026-11-20 10:00:00,123 - root - ERROR - training failed\n" + FRAMES + "ValueError: bad\n")
    assert record.prefix.level == "ERROR"
    assert record.raised is not None
    found = read("2026-11-20 10:00:00,123 - root - INFO - starting\n" + FRAMES + "ValueError: bad\n")
    assert len(found) == 2


def test_logger_that_marks_every_line() -> None:
    mark = "ERROR 10-17 12:43:16 engine.py:160] "
    text = FRAMES + "RuntimeError: CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported\n"
    record = one("".join(mark + line for line in text.splitlines(keepends=True)))
    assert record.raised is not None
    assert record.raised.type == "RuntimeError"
    assert record.raised.message.count("\n") == 1
    assert record.prefix.logger == "engine.py:160"


def test_container_that_stamps_every_line() -> None:
    lines = (FRAMES + "RuntimeError: CUDA error\nCUDA kernel errors might be\n").splitlines(keepends=True)
    text = "".join(f"2026-11-20T10:00:00.{at:09}Z stderr F {line}" for at, line in enumerate(lines))
    record = one(text)
    assert record.raised is not None
    assert record.raised.message == "CUDA error\nCUDA kernel errors might be"


def test_ranks_interleaved() -> None:
    first = (FRAMES + "ValueError: zero\n").splitlines(keepends=True)
    second = (FRAMES + "KeyError: 'one'\n").splitlines(keepends=True)
    text = "".join(f"[rank0]: {a}[rank1]: {b}" for a, b in zip(first, second, strict=True))
    found = records(text.encode(), source="log")
    assert [(record.prefix.rank, record.raised.type if record.raised else None) for record in found] == [
        (0, "ValueError"),
        (1, "KeyError"),
    ]
    assert found[0].lines == (1, 3, 5, 7, 9, 11, 13)
    assert found[0].offset == 0
    assert found[1].end == len(text) - 1


def test_other_streams_do_not_break_a_traceback() -> None:
    lines = (FRAMES + "ValueError: bad\n").splitlines(keepends=True)
    text = "".join(line + f"node7:42:{at} [0] NCCL INFO hello\n" for at, line in enumerate(lines))
    found = records(text.encode(), source="log")
    broken = [record for record in found if record.raised]
    assert len(broken) == 1
    assert broken[0].raised is not None
    assert len(broken[0].raised.frames) == 2


def test_other_entries_do_not_break_a_traceback() -> None:
    lines = (FRAMES + "ValueError: bad\n").splitlines(keepends=True)
    lines.insert(3, "2026-11-20 10:00:00,123 - root - INFO - hello\n")
    found = read("".join(lines))
    assert [record.raised is None for record in found] == [False, True]


def test_notebook() -> None:
    record = one(
        """\
        RuntimeError                              Traceback (most recent call last)
        <ipython-input-5-0123456789ab> in <module>
              1 model = Net()
        ----> 2 model.fit(x)

        /usr/local/lib/python3.7/dist-packages/torch/nn/modules/module.py in _call_impl(self, *input, **kwargs)
            887             result = self._slow_forward(*input, **kwargs)
            888         else:
        --> 889             result = self.forward(*input, **kwargs)
            890         for hook in itertools.chain(

        RuntimeError: CUDA error: out of memory
        """
    )
    assert record.raised is not None
    assert (record.raised.type, record.raised.message) == ("RuntimeError", "CUDA error: out of memory")
    assert record.raised.frames == (
        Frame("<ipython-input-5-0123456789ab>", 2, "<module>"),
        Frame("/usr/local/lib/python3.7/dist-packages/torch/nn/modules/module.py", 889, "_call_impl"),
    )


def test_new_notebook() -> None:
    record = one(
        """\
        ValueError                                Traceback (most recent call last)
        Cell In[3], line 2
              1 import x
        ----> 2 x.f()

        File ~/lib/x.py:8876, in f(a, b)
           8875 def f(a, b):
        -> 8876     raise ValueError("bad")

        File D:\\my project\\y.py:17, in g(a)
        ---> 17     f(a, 2)

        ValueError: bad
        """
    )
    assert record.raised is not None
    assert record.raised.type == "ValueError"
    assert record.raised.frames == (
        Frame("In[3]", 2, ""),
        Frame("~/lib/x.py", 8876, "f"),
        Frame("D:\\my project\\y.py", 17, "g"),
    )


def test_spyder_on_windows() -> None:
    record = one(
        """\
        Traceback (most recent call last):

          File ~\\anaconda3\\Lib\\site-packages\\spyder_kernels\\py3compat.py:356 in compat_exec
            exec(code, globals, locals)

          File c:\\users\\ana maria\\train.py:42 in collate_fn
            return stack(batch)

        ValueError: bad
        """
    )
    assert record.raised is not None
    assert record.raised.type == "ValueError"
    assert record.raised.frames == (
        Frame("~\\anaconda3\\Lib\\site-packages\\spyder_kernels\\py3compat.py", 356, "compat_exec"),
        Frame("c:\\users\\ana maria\\train.py", 42, "collate_fn"),
    )


def test_cell_of_a_page() -> None:
    record = one(
        """\
        KeyError                                  Traceback (most recent call last)
        /home/u/nb.ipynb Cell 5 line 1
        ----> 1 load(x)

        File ~/x/a.py:270, in load(key)
        --> 270     value = data[key]

        KeyError: 'text'
        """
    )
    assert record.raised is not None
    assert record.raised.frames == (Frame("/home/u/nb.ipynb", 1, "Cell 5"), Frame("~/x/a.py", 270, "load"))


def test_commands_of_databricks() -> None:
    record = one(
        """\
        ValueError                                Traceback (most recent call last)
        <command-3297632> in <module>
        ----> 1 model.fit(x)

        File <command-88>:3, in build(units)
        ----> 3     return make(units)

        ValueError: no units
        """
    )
    assert record.raised is not None
    assert record.raised.frames == (Frame("<command-3297632>", 1, "<module>"), Frame("<command-88>", 3, "build"))


def test_notebook_chain() -> None:
    record = one(
        """\
        KeyError                                  Traceback (most recent call last)
        /lib/a.py in f(x)
              1 def f(x):
        ----> 2     return d[x]

        KeyError: 'a'

        During handling of the above exception, another exception occurred:

        ValueError                                Traceback (most recent call last)
        2 frames
        /lib/b.py in g(x)
        ----> 7     raise ValueError("b")

        ValueError: b
        """
    )
    assert record.raised is not None
    assert record.raised.type == "ValueError"
    assert [part.type for part in record.raised.chained] == ["KeyError"]


def test_boxed() -> None:
    record = one(
        """\
        ╭─────────────── Traceback (most recent call last) ────────────────╮
        │ /job/train.py:12 in main                                         │
        │                                                                  │
        │    9 def main():                                                 │
        │ ❱ 12 │   step()                                                  │
        ╰──────────────────────────────────────────────────────────────────╯
        RuntimeError: bad
        """
    )
    assert record.raised is not None
    assert record.raised.type == "RuntimeError"
    assert record.raised.frames == (Frame("/job/train.py", 12, "main"),)


def test_faulthandler() -> None:
    found = read(
        """\
        Fatal Python error: Segmentation fault

        Current thread 0x00007f0123456789 (most recent call first):
          File "/x/b.py", line 2 in inner
          File "/x/a.py", line 1 in <module>
        Segmentation fault (core dumped)
        """
    )
    assert "inner" in found[0].text
    assert found[0].raised is not None
    assert found[0].raised.frames == (Frame("/x/a.py", 1, "<module>"), Frame("/x/b.py", 2, "inner"))
    assert found[-1].text == "Segmentation fault (core dumped)"


def test_syntax_error() -> None:
    record = one(
        """\
          File "train.py", line 3
            print "x"
                  ^
        SyntaxError: Missing parentheses in call to 'print'
        """
    )
    assert record.raised is not None
    assert record.raised.type == "SyntaxError"


def test_window_that_begins_inside_a_traceback() -> None:
    text = FRAMES.partition("\n")[2].partition("\n")[2] + "ValueError: bad\n"
    found = read(text)
    assert found[-1].raised is not None
    assert found[-1].raised.type == "ValueError"
    assert found[-1].raised.frames == (Frame("/job/train.py", 5, "main"),)


def test_traceback_that_is_cut_off_at_the_end() -> None:
    record = one(FRAMES)
    assert record.raised is not None
    assert record.raised.type == ""
    assert len(record.raised.frames) == 2


def test_names_printed_by_two_ranks_at_once() -> None:
    record = one(FRAMES + "ImportErrorImportError: bad\n")
    assert record.raised is not None
    assert record.raised.type == "ImportError"


def test_an_exception_of_a_pool_is_where_its_worker_raised_it() -> None:
    record = one(
        'multiprocessing.pool.RemoteTraceback: \n"""\nTraceback (most recent call last):\n'
        '  File "/usr/lib/python3.13/multiprocessing/pool.py", line 125, in worker\n    result = (True, func(*args, **kwds))\n'
        '  File "/home/ana/tokens.py", line 34, in tokenize\n    tokens.extend(encode(doc["text"]))\n'
        'TypeError: string indices must be integers, not \'str\'\n"""\n\n'
        "The above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n"
        '  File "/home/ana/tokens.py", line 51, in <module>\n    for tokens in pool.imap(tokenize, texts):\n'
        '  File "/usr/lib/python3.13/multiprocessing/pool.py", line 873, in next\n    raise value\n'
        "TypeError: string indices must be integers, not 'str'\n"
    )
    assert record.raised
    assert record.raised.type == "TypeError"
    assert (record.raised.frames[-1].file, record.raised.frames[-1].line) == ("/home/ana/tokens.py", 34)


@pytest.mark.parametrize(
    ("lines", "together"),
    [
        ("x.exc.CompilerFailed: backend='inductor' raised:\nRuntimeError: no compiler\n", True),
        ("x.exc.CompilerFailed: backend='inductor' raised\nRuntimeError: no compiler\n", False),
        ("x.exc.CompilerFailed: backend='inductor' raised:\n\nRuntimeError: no compiler\n", False),
        ("RuntimeError:\nValueError: another rank's\n", False),
    ],
)
def test_an_exception_whose_words_lead_to_another_is_told_with_it(lines: str, together: bool) -> None:
    found = read(FRAMES + lines)
    assert len(found) == (1 if together else 2)
    assert found[0].raised is not None
    assert found[0].raised.type == lines.split(":")[0]
    assert found[0].text.endswith("no compiler") == together


@pytest.mark.parametrize("frames", ["", FRAMES])
@pytest.mark.parametrize("link", ["During handling of the above exception, another exception occurred:",
                                  "The above exception was the direct cause of the following exception:"])  # fmt: skip
def test_of_linked_exceptions_without_a_traceback_between_them_the_last_counts(frames: str, link: str) -> None:
    record = one(f"{frames}KeyError: 'labels'\n\n{link}\n\nRuntimeError: no such frob\nor another\n")
    assert record.raised is not None
    assert (record.raised.type, record.raised.message) == ("RuntimeError", "no such frob\nor another")
    assert [one.type for one in record.raised.chained] == ["KeyError"]


@pytest.mark.parametrize(
    "code", ["raise ValueError('no')", "return torch.matmul(a, b)", "x = f(a)", "self.step(batch)"]
)
def test_a_statement_that_lost_its_indentation_belongs_to_its_frame(code: str) -> None:
    record = one(f'  File "/job/train.py", line 5, in main\n{code}\nValueError: no\n')
    assert record.raised is not None
    assert (record.raised.type, record.raised.message) == ("ValueError", "no")
    assert record.raised.frames == (Frame("/job/train.py", 5, "main"),)
    assert code in record.text


@pytest.mark.parametrize("below", ["", "RuntimeError: CUDA error\n"], ids=["alone", "above an exception"])
def test_a_list_of_figures_belongs_to_its_heading_whatever_follows(below: str) -> None:
    text = f"CPU:\nArchitecture:           x86_64\nModel name:             Xeon\n{below}"
    assert records(text.encode(), source="log")[0].lines == (1, 2, 3)

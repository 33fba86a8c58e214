"""Any bytes become clean lines; redrawn bars keep their last state, and nothing else is lost."""

from __future__ import annotations

import pytest

from logsense.model.record import Record
from logsense.records.records import records
from tests.guards.calls import calls


def texts(data: bytes) -> list[str]:
    return [record.text for record in records(data, source="log")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\r\r\ntwo", ["one", "two"]),
        (b"\x1b[31mred\x1b[0m", ["red"]),
        (b"\x1b]0;title\x07text", ["text"]),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", ["link"]),
        (b"[34m[1mwandb[39m[22m: ready", ["wandb: ready"]),
        (b"^[[31mred^[[0m", ["red"]),
        (b"\\x1b[31mred\\x1b[0m", ["red"]),
        (b"nul\0byte", ["nulbyte"]),
        (b"bad \xff\xfe utf-8", ["bad \ufffd\ufffd utf-8"]),
        ("\u202eevil\u200b".encode(), ["evil"]),
        ("\ufefffirst".encode(), ["first"]),
        ("non\xa0breaking".encode(), ["non breaking"]),
        (b"\x1b", []),
        (b"\x1b[", []),
        (b"trailing   \t\n", ["trailing"]),
        (b"\n\n\n", []),
        (b"", []),
        ("line\u2028separator".encode(), ["lineseparator"]),
    ],
)
def test_clean(data: bytes, expected: list[str]) -> None:
    assert texts(data) == expected


def test_first_and_last_state_of_a_bar() -> None:
    data = b"\rEpoch 1:  10%|#  | 1/10\rEpoch 1:  20%|## | 2/10\rEpoch 1: 100%|###| 10/10\nnext\n"
    found = records(data, source="log")
    assert [record.text for record in found] == ["Epoch 1:  20%|## | 2/10", "Epoch 1: 100%|###| 10/10", "next"]
    assert [record.line for record in found] == [1, 1, 2]
    assert data[found[1].offset : found[1].end] == b"Epoch 1: 100%|###| 10/10"


def test_bars_of_two_loops_both_stay() -> None:
    assert texts(b"train: 1/9\rtrain: 9/9\rvalid: 1/3\rvalid: 3/3\n") == ["train: 9/9", "valid: 3/3"]


def test_a_message_among_redraws_stays() -> None:
    assert texts(b"1/9 loss 0.5\rCUDA error: out of memory\r2/9 loss 0.4\n") == [
        "1/9 loss 0.5",
        "CUDA error: out of memory",
        "2/9 loss 0.4",
    ]


def test_cursor_moves_and_backspaces_redraw() -> None:
    assert texts(b"  10%|# |\x1b[A\x1b[2K  20%|##|\n") == ["20%|##|"]
    assert texts(b"1/10 [=>]" + b"\x08" * 9 + b"2/10 [==]\n") == ["2/10 [==]"]


def test_text_behind_a_bar_is_a_line() -> None:
    found = texts(b"  5%|#    | 301/6631 [09:58<2:53:26,  1.64s/it]The attention mask was not set.\n")
    assert found == ["5%|#    | 301/6631 [09:58<2:53:26,  1.64s/it]", "The attention mask was not set."]
    field = "5%|#    | 301/6631 [09:58<2:53:26,  1.64s/it] | mem 21.00 GiB"
    assert texts(f"{field}\n".encode()) == [field]


def test_messages_glued_together() -> None:
    assert texts(b"4/9 [==>.] - ETA: 3s - loss: 0.1216Killed\n") == ["4/9 [==>.] - ETA: 3s - loss: 0.1216", "Killed"]
    assert texts(b"Loading shards...Segmentation fault (core dumped)\n")[1:] == ["Segmentation fault (core dumped)"]
    assert texts(b"kernel.hung_task.Killed=1\n") == ["kernel.hung_task.Killed=1"]
    assert texts(b"a 50% 1/2 [00:00<00:00,  3.39it/s]-----\n") == ["a 50% 1/2 [00:00<00:00,  3.39it/s]", "-----"]


def test_bars_whose_returns_were_lost() -> None:
    bar = "5%|#    | 301/6631 [09:58<2:53:26,  1.64s/it]"
    assert set(texts((bar * 30).encode())) == {bar}
    assert 1 <= len(texts((bar * 3000).encode())) < 10


def test_long_lines_are_cut() -> None:
    found = records(b"word " * 100_000, source="log")
    assert len(found) > 5
    assert all(len(record.text) <= 64 * 1024 for record in found)
    assert all(record.line == 1 for record in found)
    assert found[-1].end == 500_000
    found = records("é".encode() * 100_000, source="log")
    assert "\ufffd" not in "".join(record.text for record in found)


def test_places_of_a_window() -> None:
    found = records(b"one\ntwo\n", source="log", first_line=41, offset=1000)
    assert [(record.line, record.offset, record.end) for record in found] == [(41, 1000, 1003), (42, 1004, 1007)]
    assert all(record.source == "log" for record in found)


def test_line_at() -> None:
    text = b'x\nTraceback (most recent call last):\n  File "a", line 1, in f\n\nValueError: bad\n'
    record = records(text, source="log")[-1]
    assert record.line_at(record.text.index("ValueError")) == 5


def blocks(text: str) -> list[Record]:
    return records(text.encode(), source="log")


def test_block_of_one_logger_call() -> None:
    found = blocks(
        "2026-11-20 10:00:00.123456: I tensorflow/core/bfc_allocator.cc:1101] Stats: \n"
        "Limit:                      7814010471\n"
        "InUse:                      7800000000\n"
        "\n"
        "next\n"
    )
    assert [record.line for record in found] == [1, 5]
    assert "InUse" in found[0].text


def test_lines_without_prefix_among_prefixed_ones() -> None:
    entry = "[2026-11-20 10:00:00,123] [INFO] [a.py:1:f] "
    found = blocks(f"{entry}one\n{entry}two\nmore of two\n{entry}three\n")
    assert [record.text for record in found] == ["one", "two\nmore of two", "three"]


def test_glog_message_of_many_lines() -> None:
    mark = "W0727 21:35:08.318000 7497 torch/distributed/run.py:852] "
    found = blocks(f"{mark}\n{mark}*****\n{mark}Setting OMP_NUM_THREADS\n{mark}*****\nnext\n")
    assert "Setting OMP_NUM_THREADS" in found[0].text


def test_native_frames() -> None:
    found = blocks(
        "terminate called after throwing an instance of 'c10::Error'\n"
        "  what():  CUDA error: an illegal memory access was encountered\n"
        "Exception raised from c10_cuda_check_implementation at CUDAException.cpp:31 (most recent call first):\n"
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f in libc10.so)\n"
        "frame #1: c10::detail::torchCheckFail(char const*) + 0x64 (0x7f in libc10.so)\n"
        "\n"
        "Aborted (core dumped)\n"
    )
    assert [record.line for record in found] == [1, 7]


def test_stack_of_glog() -> None:
    found = blocks(
        "F1120 10:00:00.1 12 gpu.cc:203] Unexpected Event status: 1\n"
        "*** Check failure stack trace: ***\n"
        "    @     0x7f0123456789  google::LogMessage::Fail()\n"
        "    @     0x7f0123456790  google::LogMessage::SendToLog()\n"
        "Aborted (core dumped)\n"
    )
    assert found[-1].text == "Aborted (core dumped)"
    assert len(found) <= 3


def test_unprefixed_frames_join_the_rank_above() -> None:
    found = blocks(
        "[rank1]:[E1120 10:00:00.1 ProcessGroupNCCL.cpp:629] [Rank 1] Watchdog caught collective operation timeout\n"
        "Exception raised from checkTimeout at ProcessGroupNCCL.cpp:565 (most recent call first):\n"
        "frame #0: c10::Error::Error() + 0x57 (0x7f in libc10.so)\n"
        "[rank0]: hello\n"
    )
    assert [(record.prefix.rank, record.line) for record in found] == [(1, 1), (0, 4)]


def test_warning_with_its_source_line() -> None:
    found = blocks('/x/y.py:12: UserWarning: careful\n  warnings.warn("careful")\nnext\n')
    assert [record.line for record in found] == [1, 3]


def test_table_is_one_record() -> None:
    found = blocks(
        "+-----------------------------------------------------------------------------+\n"
        "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\n"
        "|-------------------------------+----------------------+----------------------+\n"
        "|   0  Tesla T4            Off  | 00000000:00:04.0 Off |                    0 |\n"
        "next\n"
    )
    assert [record.line for record in found] == [1, 5]


def test_entries_are_bounded() -> None:
    text = "Traceback (most recent call last):\n" + '  File "a", line 1, in f\n' * 1000 + "ValueError: bad\n"
    found = blocks(text)
    assert all(len(record.lines) <= 400 for record in found)
    assert found[-1].raised is not None
    text = "Traceback (most recent call last):\n" + ("  " + "x" * 1000 + "\n") * 200
    assert all(len(record.text) <= 64 * 1024 for record in blocks(text))


@pytest.mark.parametrize(
    "piece",
    [
        *(" ", "1%|", "\x1b]0;", "1/2\r", "Traceback (most recent call last)", 'File "', "[rank1]: a\n", "a.b."),
        *("RuntimeError: x\n", "[2026-11-20 10:00:00] ", "- ", "\n", "frame #0: a\n", "|+\n", "[", "(a "),
    ],
)
def test_work_grows_with_length_only(piece: str) -> None:
    def work(size: int) -> int:
        data = piece.encode() * (size // len(piece))
        return calls(lambda: records(data, source="log"))

    assert work(20_000) < 5 * work(5_000)

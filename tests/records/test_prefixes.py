"""What stands in front of messages is taken off, and nothing else is."""

from __future__ import annotations

import pytest

from logsense.model.record import Prefix, Record
from logsense.records.records import records


def only(text: str) -> Record:
    found = records(text.encode(), source="log")
    assert len(found) == 1
    return found[0]


def test_step_and_seconds_of_a_docker_build() -> None:
    assert only("#16 1.181 KeyError: 'x'").text == "KeyError: 'x'"


def test_what_a_collector_appends() -> None:
    text = "(Worker pid=9) KeyError: 'lr' [repeated 2x across cluster] (Ray deduplicates logs by default.)"
    assert only(text).text == "KeyError: 'lr'"
    assert only("(Worker pid=9) weights [repeated 2x] of 3").text == "weights [repeated 2x] of 3"


TIMES = [
    ("2026-11-20 10:00:00,123 - root - INFO - hello", "2026-11-20 10:00:00,123"),
    ("2026-11-20T10:00:00Z hello", "2026-11-20T10:00:00Z"),
    ("2026-11-20T10:00:00.123456789+02:00 hello", "2026-11-20T10:00:00.123456789+02:00"),
    ("2026/11/20 10:00:00 hello", "2026/11/20 10:00:00"),
    ("[2026-11-20 10:00:00] hello", "2026-11-20 10:00:00"),
    ("[2026-11-20 10:00:00,123] hello", "2026-11-20 10:00:00,123"),
    ("11/20/26 10:00:00 hello", "11/20/26 10:00:00"),
    ("11/20/2026 10:00:00 - INFO - __main__ - hello", "11/20/2026 10:00:00"),
    ("Nov 20 10:00:00 node7 train[123]: hello", "Nov 20 10:00:00"),
    ("[Sat Oct 12 18:35:32 2024] hello", "Sat Oct 12 18:35:32 2024"),
    ("[74785.660366] hello", "74785.660366"),
    ("[   12.660366] hello", "12.660366"),
    ("[10:00:00] hello", "10:00:00"),
    ("10:00:00 INFO hello", "10:00:00"),
    ("26-11-20 10:00:00.123 - INFO: hello", "26-11-20 10:00:00.123"),
    ("11-20 10:00:00 INFO hello", "11-20 10:00:00"),
    ("1763632800.123456 hello", "1763632800.123456"),
]


@pytest.mark.parametrize(("line", "time"), TIMES)
def test_time(line: str, time: str) -> None:
    record = only(line)
    assert record.text == "hello"
    assert record.prefix.time == time


def test_a_word_and_a_level_behind_a_time_may_be_the_message() -> None:
    assert only("2026-11-20 10:00:00 CUDA ERROR: out of memory").text == "CUDA ERROR: out of memory"


CASES = [
    (
        "[2026-11-20 10:00:00,123 | INFO]: hello",
        Prefix(time="2026-11-20 10:00:00,123", level="INFO"),
    ),
    ("[2026-11-20 10:00:00,123 INFO] hello", Prefix(time="2026-11-20 10:00:00,123", level="INFO")),
    (
        "[2026-11-20 10:00:00,123 - ERROR - root]: hello",
        Prefix(time="2026-11-20 10:00:00,123", level="ERROR", logger="root"),
    ),
    ("[INFO 2026-11-20 10:00:00] hello", Prefix(time="2026-11-20 10:00:00", level="INFO")),
    ("INFO 2026-11-20 10:00:00,123 root: hello", Prefix(time="2026-11-20 10:00:00,123", level="INFO", logger="root")),
    ("2026-11-20 10:00:00,123   INFO  hello", Prefix(time="2026-11-20 10:00:00,123", level="INFO")),
    (
        "2026-11-20 10:00:00,123 maskrcnn.trainer WARNING: hello",
        Prefix(time="2026-11-20 10:00:00,123", level="WARNING", logger="maskrcnn.trainer"),
    ),
    ("[11/20 10:00:00][INFO] hello", Prefix(time="11/20 10:00:00", level="INFO")),
    (
        "[2026-11-20 10:00:00 swin_base] (main.py 236): INFO hello",
        Prefix(time="2026-11-20 10:00:00", level="INFO", logger="main.py 236"),
    ),
    (
        "W1120 10:00:00.123456 1234 file.cc:12] hello",
        Prefix(time="1120 10:00:00.123456", pid=1234, level="WARNING", logger="file.cc:12"),
    ),
    (
        "E0000 00:00:1738185411.436074    2759 cuda_dnn.cc:8310] hello",
        Prefix(time="0000 00:00:1738185411.436074", pid=2759, level="ERROR", logger="cuda_dnn.cc:8310"),
    ),
    (
        "2026-11-20 10:00:00.123456: E tensorflow/stream_executor/cuda/cuda_dnn.cc:49] hello",
        Prefix(
            time="2026-11-20 10:00:00.123456", level="ERROR", logger="tensorflow/stream_executor/cuda/cuda_dnn.cc:49"
        ),
    ),
    ("I tensorflow/core/x.cc:49] hello", Prefix(level="INFO", logger="tensorflow/core/x.cc:49")),
    ("[rank3]: hello", Prefix(rank=3)),
    (
        "[rank3]:[W515 07:06:42.829549331 ProcessGroupNCCL.cpp:1117] hello",
        Prefix(time="515 07:06:42.829549331", rank=3, level="WARNING", logger="ProcessGroupNCCL.cpp:1117"),
    ),
    ("[W socket.cpp:401] [c10d] hello", Prefix(level="WARNING", logger="socket.cpp:401")),
    ("[E ProcessGroupNCCL.cpp:475] [Rank 1] hello", Prefix(rank=1, level="ERROR", logger="ProcessGroupNCCL.cpp:475")),
    ("[default3]:hello", Prefix(local_rank=3)),
    ("[1,3]<stderr>:hello", Prefix(rank=3, stream="stderr")),
    ("[1,mpirank:3,algo-1]<stdout>:hello", Prefix(rank=3, host="algo-1", stream="stdout")),
    ("(worker pid=12, ip=10.0.0.1) hello", Prefix(pid=12, host="10.0.0.1")),
    ("(pid=12) hello", Prefix(pid=12)),
    ("(Worker_TP2 pid=2826) hello", Prefix(pid=2826)),
    (
        "(EngineCore_DP0 pid=9709) ERROR 10-17 12:43:16 [core.py:160] hello",
        Prefix(time="10-17 12:43:16", pid=9709, level="ERROR", logger="core.py:160"),
    ),
    ("(VllmWorker rank=1 pid=33) hello", Prefix(rank=1, pid=33)),
    (
        "ERROR 10-17 12:43:16 engine.py:160] hello",
        Prefix(time="10-17 12:43:16", level="ERROR", logger="engine.py:160"),
    ),
    (
        "INFO 04-05 01:12:55 [core.py:390] hello",
        Prefix(time="04-05 01:12:55", level="INFO", logger="core.py:390"),
    ),
    ("node7:4242:4300 [3] NCCL INFO hello", Prefix(host="node7", pid=4242)),
    ("10.1.2.3:4242:4300 [3] NCCL INFO hello", Prefix(host="10.1.2.3", pid=4242)),
    (
        "[2025-09-09 23:51:24] 9b405963aa12:774:854 [0] transport/shm.cc:590 NCCL WARN hello",
        Prefix(time="2025-09-09 23:51:24", host="9b405963aa12", pid=774, logger="transport/shm.cc:590"),
    ),
    (
        "node7:4242:4300 [3] misc/socket.cc:12 NCCL WARN hello",
        Prefix(host="node7", pid=4242, logger="misc/socket.cc:12"),
    ),
    ("include/shm.h:28 NCCL WARN hello", Prefix(logger="include/shm.h:28")),
    (
        "2026-11-20T10:00:00.123456789Z stdout F hello",
        Prefix(time="2026-11-20T10:00:00.123456789Z", stream="stdout"),
    ),
    ("ERROR:torch.distributed:hello", Prefix(level="ERROR", logger="torch.distributed")),
    (
        "INFO:2026-11-20 10:00:00,123:jax._src.xla_bridge:889: hello",
        Prefix(time="2026-11-20 10:00:00,123", level="INFO", logger="jax._src.xla_bridge:889"),
    ),
    ("[ERROR] hello", Prefix(level="ERROR")),
    ("[WARN] hello", Prefix(level="WARNING")),
    (
        "[2026-11-20 10:00:00,123] [INFO] [launch.py:315:sigkill_handler] hello",
        Prefix(time="2026-11-20 10:00:00,123", level="INFO", logger="launch.py:315:sigkill_handler"),
    ),
    (
        "2026-11-20 10:00:00.123 | DEBUG    | mod:func:387 - hello",
        Prefix(time="2026-11-20 10:00:00.123", level="DEBUG", logger="mod:func:387"),
    ),
    (
        "[10:00:00] INFO     hello                                  train.py:33",
        Prefix(time="10:00:00", level="INFO", logger="train.py:33"),
    ),
    (
        "[INFO|trainer.py:2071] 2026-11-20 10:00:00,123 >> hello",
        Prefix(time="2026-11-20 10:00:00,123", level="INFO", logger="trainer.py:2071"),
    ),
    (
        "[2026-11-20 10:00:00,123][root][ERROR] - hello",
        Prefix(time="2026-11-20 10:00:00,123", level="ERROR", logger="root"),
    ),
    (
        "[11/20 10:00:00 d2.engine]: hello",
        Prefix(time="11/20 10:00:00", logger="d2.engine"),
    ),
    (
        "[NeMo W 2026-11-20 10:00:00 nemo_logging:349] hello",
        Prefix(time="2026-11-20 10:00:00", level="WARNING", logger="nemo_logging:349"),
    ),
    (
        "[2026-11-20 10:00:00,123 E 12 34] (raylet) node_manager.cc:3000: hello",
        Prefix(time="2026-11-20 10:00:00,123", pid=12, level="ERROR", logger="node_manager.cc:3000"),
    ),
    (
        "2026-11-20 10:00:00,123\tINFO worker.py:1743 -- hello",
        Prefix(time="2026-11-20 10:00:00,123", level="INFO", logger="worker.py:1743"),
    ),
    (
        "Nov 20 10:00:00 node7 kernel: [123.456789] hello",
        Prefix(time="Nov 20 10:00:00", host="node7", logger="kernel"),
    ),
    ("rank3: hello", Prefix(rank=3)),
    ("Rank 3: hello", Prefix(rank=3)),
    ("RANK=3 | hello", Prefix(rank=3)),
    ("(rank 3) hello", Prefix(rank=3)),
    (
        "2026-11-20 10:00:00,123 INFO rank3: hello",
        Prefix(time="2026-11-20 10:00:00,123", level="INFO", rank=3),
    ),
    ("[pod/trainer-0/pytorch] hello", Prefix(host="trainer-0")),
    ("[node7:12345] hello", Prefix(host="node7", pid=12345)),
    (
        "2026-11-20T10:00:00.123456+00:00 node7 train[123]: hello",
        Prefix(time="2026-11-20T10:00:00.123456+00:00", host="node7", logger="train", pid=123),
    ),
    ("2026-11-20T10:00:00Z n7 kernel: hello", Prefix(time="2026-11-20T10:00:00Z", host="n7", logger="kernel")),
    (
        "2026-05-04T16:13:44.884Z: [1,12]<stdout>:node4:815:864 [0] net_ib.cu:80 NCCL WARN hello",
        Prefix(time="2026-05-04T16:13:44.884Z", rank=12, host="node4", pid=815, stream="stdout", logger="net_ib.cu:80"),
    ),
]


@pytest.mark.parametrize(
    ("line", "prefix", "text"),
    [
        ("INFO:     Shutting down", Prefix(level="INFO"), "Shutting down"),
        ("WARNING:  Invalid HTTP request", Prefix(level="WARNING"), "Invalid HTTP request"),
        ("ERROR: out of shared memory", Prefix(), "ERROR: out of shared memory"),
        (
            '10.0.0.8 - - [29/Oct/2025:19:04:33 +0200] "GET / HTTP/1.1" 200 12',
            Prefix(time="29/Oct/2025:19:04:33"),
            '"GET / HTTP/1.1" 200 12',
        ),
        ("10.0.0.8 - - [29/Oct/2025:19:04:33] hello", Prefix(), "10.0.0.8 - - [29/Oct/2025:19:04:33] hello"),
    ],
)
def test_prefixes_of_web_servers(line: str, prefix: Prefix, text: str) -> None:
    record = only(line)
    assert (record.prefix, record.text) == (prefix, text)


@pytest.mark.parametrize(("line", "prefix"), CASES, ids=[line for line, _ in CASES])
def test_prefix(line: str, prefix: Prefix) -> None:
    record = only(line)
    assert record.prefix == prefix
    assert record.text.removeprefix("NCCL INFO ").removeprefix("NCCL WARN ") == "hello"


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
        "wandb: ERROR Internal wandb error: file data was not synced",
        "5 [29.277708053588867, 17.693845748901367]",
        "12:30 minutes left",
        "rank 3 did not arrive",
        "ranks 3: too few",
        "rank: 3",
        "Rank 3",
        "[1, 2, 3]",
        "[Epoch5]: loss 0.1",
        "Error: something",
        "Info about the run",
        "3: one line that begins with a number",
        "node7: one line that begins with a name",
        "2026 was a good year",
        "step:1999/20000 train_loss:1.0466",
        "E is the fifth letter",
        "srun: error: node1: task 3: Killed",
        "slurmstepd: error: *** JOB 1 ON node1 CANCELLED AT 2026-11-20T10:00:00 ***",
    ],
)
def test_message_is_left_alone(line: str) -> None:
    assert only(line).text == line


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("[74785.660366] INFO: task x:12 blocked for more than 120 seconds.", "INFO: task x:12 blocked"),
        ("[Sat Oct 12 18:35:32 2024] WARNING: CPU: 3 PID: 12", "WARNING: CPU: 3 PID: 12"),
        ("Nov 20 10:00:00 node7 kernel: [12.345678] INFO: task x:12 blocked", "INFO: task x:12 blocked"),
    ],
)
def test_levels_of_the_kernel_belong_to_its_messages(line: str, text: str) -> None:
    assert only(line).text.startswith(text)


def test_prefix_of_an_indented_paste() -> None:
    record = only("    2026-11-20 10:00:00.123456: E external/xla/cuda_dnn.cc:443] hello")
    assert (record.text, record.prefix.level) == ("hello", "ERROR")


def test_rank_in_a_group_bracket_is_read_and_stays() -> None:
    record = only("[rank3]:[E1120 10:00:00.1 ProcessGroupNCCL.cpp:629] [PG ID 0 PG GUID 0(default_pg) Rank 3] Watchdog")
    assert record.text == "[PG ID 0 PG GUID 0(default_pg) Rank 3] Watchdog"
    assert record.prefix.rank == 3


def test_indentation_behind_a_prefix_stays() -> None:
    found = records(b'[rank0]: Traceback (most recent call last):\n[rank0]:   File "x.py", line 1, in f', source="log")
    assert found[0].text == 'Traceback (most recent call last):\n  File "x.py", line 1, in f'


def test_tags_with_and_without_a_space_keep_indentation() -> None:
    for tag in ("[1,3]<stderr>:", "[1,3]<stderr>: ", "[default3]:"):
        found = records(
            f'{tag}Traceback (most recent call last):\n{tag}  File "x.py", line 1, in f'.encode(), source="log"
        )
        assert found[0].text == 'Traceback (most recent call last):\n  File "x.py", line 1, in f'


def test_a_message_printed_behind_another_has_its_rank() -> None:
    text = '[rank3]: assert triggeredTraceback (most recent call last):\n[rank3]:   File "x.py", line 1, in f\n'
    assert [record.prefix.rank for record in records(text.encode(), source="log")] == [3, 3]


def test_srun_labels_are_ranks_when_most_lines_have_them() -> None:
    found = records(b"0: loading\n1: loading\n0: done\n1: RuntimeError: bad\n", source="log")
    assert [(record.prefix.rank, record.text) for record in found] == [
        (0, "loading"),
        (1, "loading"),
        (0, "done"),
        (1, "RuntimeError: bad"),
    ]


@pytest.mark.parametrize(
    ("label", "host"),
    [("0: ", None), (" 0: ", None), ("12: ", None), ("node7: ", "node7"), ("10.0.0.7: ", "10.0.0.7")],
)
def test_labels_before_a_rank(label: str, host: str | None) -> None:
    found = records(f"See this:\n\n{label}[rank3]: RuntimeError: bad\nWhat is it?\n".encode(), source="log")
    failed = [record for record in found if record.text == "RuntimeError: bad"]
    assert [(record.prefix.rank, record.prefix.host) for record in failed] == [(3, host)]


def test_a_word_before_a_rank_is_no_label() -> None:
    assert only("RuntimeError: [rank3]: bad").text == "RuntimeError: [rank3]: bad"


def test_pdsh_labels_are_hosts_when_most_lines_have_them() -> None:
    found = records(b"node1: loading\nnode2: loading\nnode1: done\nnode2: [ERROR] bad\n", source="log")
    assert [(record.prefix.host, record.text) for record in found] == [
        ("node1", "loading"),
        ("node2", "loading"),
        ("node1", "done"),
        ("node2", "bad"),
    ]


def test_words_before_a_colon_are_no_hosts() -> None:
    text = "wandb: one\nwandb: two\nwandb: three\nwandb: four\n"
    assert [record.text for record in records(text.encode(), source="log")] == text.splitlines()

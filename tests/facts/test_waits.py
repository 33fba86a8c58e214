"""Which ranks were in another collective than the others, from what each says of its own when time is up."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.facts.facts import Facts
from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from tests.conftest import incident_of

SAID = (
    "[rank{rank}]:[E ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum={number}, OpType={op}, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600021 milliseconds "
    "before timing out.\n"
)


@pytest.mark.parametrize(
    ("calls", "mismatched"),
    [
        ([(7, "ALLREDUCE"), (7, "BROADCAST"), (7, "ALLREDUCE"), (7, "ALLREDUCE")], "1"),
        ([(7, "ALLREDUCE"), (7, "ALLREDUCE"), (6, "BROADCAST"), (7, "ALLREDUCE")], "2"),
        ([(7, "ALLREDUCE"), (7, "ALLREDUCE"), (7, "ALLREDUCE"), (8, "BROADCAST")], "3"),
        # The same call under another number may be one of another group; far apart, it is.
        ([(7, "ALLREDUCE"), (6, "ALLREDUCE"), (7, "ALLREDUCE"), (7, "ALLREDUCE")], None),
        ([(7, "ALLREDUCE"), (91, "BROADCAST"), (7, "ALLREDUCE"), (7, "ALLREDUCE")], None),
        # Of two ranks nobody knows which one went astray.
        ([(7, "ALLREDUCE"), (6, "BROADCAST")], None),
        ([(7, "ALLREDUCE"), (7, "ALLREDUCE"), (7, "ALLREDUCE")], None),
    ],
)
def test_ranks_in_another_collective(
    calls: list[tuple[int, str]], mismatched: str | None, built_in_catalog: Catalog
) -> None:
    log = "".join(SAID.format(rank=rank, number=number, op=op) for rank, (number, op) in enumerate(calls))
    fact = Facts(built_in_catalog, incident_of(log.encode(), built_in_catalog)).get("log.mismatched_ranks", None)
    assert (fact and fact.value) == mismatched


def test_the_first_call_that_did_not_end_counts(built_in_catalog: Catalog) -> None:
    calls = [(rank, number) for rank in range(3) for number in (9, 8, 7)]
    log = "".join(SAID.format(rank=rank, number=number, op="ALLREDUCE") for rank, number in calls)
    log += SAID.format(rank=3, number=9, op="ALLREDUCE") + SAID.format(rank=3, number=6, op="BROADCAST")
    fact = Facts(built_in_catalog, incident_of(log.encode(), built_in_catalog)).get("log.mismatched_ranks", None)
    assert fact
    assert fact.value == "3"


def test_the_rank_that_waited_elsewhere_where_the_others_lost_a_peer_or_waited(built_in_catalog: Catalog) -> None:
    raised = (
        '[rank{0}]: Traceback (most recent call last):\n[rank{0}]:   File "/job/fit.py", line {1}, in <module>\n'
        "[rank{0}]:     dist.all_reduce(x)\n[rank{0}]: RuntimeError: [{2}\n"
    )
    late = "unbound_buffer.cc:78] Timed out waiting 9000ms for recv operation to complete"
    lost = "pair.cc:553] Connection closed by peer [10.0.0.4]:2828"
    said = [(0, 20, lost), (1, 20, late), (2, 31, late), (3, 20, lost)]
    log = "".join(raised.format(*one) for one in said)
    fact = Facts(built_in_catalog, incident_of(log.encode(), built_in_catalog)).get("log.mismatched_ranks", None)
    assert fact
    assert fact.value == "2"


LATE = (
    "[rank{0}]:[E0503 06:01:07.926 ProcessGroupNCCL.cpp:629] [Rank {0}] Watchdog caught collective operation timeout:"
    " WorkNCCL(SeqNum=59820, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600029"
    " milliseconds before timing out.\n"
)


@pytest.mark.parametrize(("ranks", "accused"), [(32, [5]), (64, [])])
def test_a_rank_whose_report_was_only_counted_is_not_silent(ranks: int, accused: list[int]) -> None:
    log = "".join(LATE.format(rank) for rank in range(ranks) if rank != 5)
    report = explain_text(log.encode(), load_catalog())
    assert [one.rank for one in report.culprits] == accused


GLOO = "[rank0]: RuntimeError: [unbound_buffer.cc:81] Timed out waiting 30000ms for recv operation to complete\n"


@pytest.mark.parametrize(("world", "awaited"), [(2, "1"), (4, None)])
def test_of_two_ranks_the_one_that_printed_nothing_is_awaited(
    built_in_catalog: Catalog, world: int, awaited: str | None
) -> None:
    log = f"Distributed environment: MULTI_CPU  Backend: gloo\nNum processes: {world}\nProcess index: 0\n{GLOO}"
    fact = Facts(built_in_catalog, incident_of(log.encode(), built_in_catalog)).get("log.awaited_ranks", None)
    assert (fact and fact.value) == awaited

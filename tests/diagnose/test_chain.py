"""What followed from the failure, link by link."""

from __future__ import annotations

from itertools import permutations

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text
from logsense.render.words import chain_in_words

OWN = "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 2 has a total capacity of \
79.15 GiB of which 1.20 GiB is free. Of the allocated memory 74.10 GiB is allocated by PyTorch, and 2.30 GiB is reserved \
by PyTorch but unallocated.\n"
CLOSED = (
    "[rank{0}]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer "
    "[10.0.0.7]:{0}4217\n"
)
LATE = (
    "[rank{0}]:[E1102 03:14:1{0}.926 ProcessGroupNCCL.cpp:616] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=262144, NumelOut=262144, Timeout(ms)=600000) ran for 600021 "
    "milliseconds before timing out.\n"
)
DOWN = (
    "[rank{0}]:[E1102 03:14:1{0}.927 ProcessGroupNCCL.cpp:681] [Rank {0}] To avoid data inconsistency, we are taking the "
    "entire process down.\n"
)
LAUNCHER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED\n"


def explained(text: str) -> Report:
    return explain_text(text.encode(), load_catalog())


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_links_stand_in_the_order_of_causes(order: tuple[int, ...]) -> None:
    parts = [CLOSED.format(3), LATE.format(0) + LATE.format(1), DOWN.format(0) + DOWN.format(1)]
    report = explained(OWN + "".join(parts[number] for number in order) + LAUNCHER)
    assert report.diagnoses[0].cause == "gpu-memory.capacity"
    links = [(one.ranks, one.after != "") for one in report.consequences]
    assert links == [((3,), False), ((0, 1), True), ((0, 1), True), ((), False)]
    told = chain_in_words(report)
    assert [who for who, _ in told] == ["rank 3", "ranks 0, 1", ""]
    assert told[1][1].endswith("and 1 more message")


def test_an_exception_that_tells_of_a_consequence_is_not_another_one() -> None:
    report = explained(OWN + CLOSED.format(3) + CLOSED.format(1))
    assert [one.ranks for one in report.consequences] == [(1, 3)]


def test_every_link_is_told() -> None:
    report = explained(OWN + CLOSED.format(3) + LATE.format(0) + DOWN.format(1) + LAUNCHER)
    assert len(chain_in_words(report)) == 4

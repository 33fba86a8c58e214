"""What a cause is worth: its evidence, where its message stands, and what a claim may be at most."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from logsense.diagnose.rank import Ranking, rank_causes
from logsense.diagnose.score import CLAIM_OFFSET, EFFECT_ALONE, Candidate, calibrated, capped
from logsense.model.knowledge import Catalog
from tests.conftest import Write, incident_of
from tests.demo import FILES, signature

Rank = Callable[..., Ranking]
OLD = "driver 550.54 is old\n"
FULL = "memory full: asked 2 GiB of 8 GiB, free {free}\n"
# A warning that explains a failure, by itself or with what failed.
WARNED = {
    **FILES,
    "rules/_causes.yaml": FILES["rules/_causes.yaml"] + "setup: {driver: old driver}\n",
    "rules/setup/driver.yaml": """
cause: setup.driver
title: "The driver is old"
arguments:
  - id: old
    when: [{found: demo.old}]
    strength: shows
    says: "it is old"
explain: It is old.
fixes: [{do: Renew it., risk: none}]
references: [https://example.org/driver]
examples:
  - {name: old, log: "driver 550 is old", expect: first}
  - {name: lost, log: "lost the device 1", expect: silent}
""",
}


@pytest.fixture
def ranked(write_catalog: Write) -> Rank:
    """Rank the causes of a log, in a catalog of these files."""

    def rank(log: str, files: dict[str, str] = FILES, outcome: str | None = None) -> Ranking:
        catalog = write_catalog(files)
        incident = incident_of(log.encode(), catalog)
        return rank_causes(incident._replace(outcome=outcome or incident.outcome), catalog)

    return rank


def first_of(ranking: Ranking) -> Candidate:
    assert ranking.first
    return ranking.first


def shares_of(ranking: Ranking) -> dict[str, float]:
    return {candidate.rule.cause: share for candidate, share in ranking.causes}


def test_evidence_is_weighed_and_names_its_line(ranked: Rank) -> None:
    alone, confirmed = ranked(FULL.format(free="4 GiB")), ranked(FULL.format(free="512 MiB"))
    doubted = ranked(OLD + FULL.format(free="4 GiB"))
    assert doubted.confidence < alone.confidence < confirmed.confidence
    [(_, witness)] = first_of(doubted).evidence
    assert witness
    assert witness.signature.id == "demo.old"


def test_the_first_failure_outweighs_a_later_one(ranked: Rank) -> None:
    full, lost = FULL.format(free="4 GiB"), "lost the device 1\n"
    full_first, lost_first = shares_of(ranked(full + lost)), shares_of(ranked(lost + full))
    assert full_first["memory.capacity"] > lost_first["memory.capacity"]
    assert lost_first["hardware.lost"] > full_first["hardware.lost"]


def test_a_consequence_explains_alone_and_not_beside_a_failure(ranked: Rank) -> None:
    peer = "peer 3 went away\n"
    alone, beside = shares_of(ranked(peer)), shares_of(ranked(FULL.format(free="512 MiB") + peer))
    assert alone["hardware.lost"] > 0.8
    assert beside["memory.capacity"] > 0.8
    assert beside.get("hardware.lost", 0.0) < 0.1


@pytest.mark.parametrize(("after", "explains"), [("", True), ("a line\n" * 40, False)])
def test_a_hint_explains_a_log_that_ends_with_it(ranked: Rank, after: str, explains: bool) -> None:
    found = ranked(OLD + after, WARNED, outcome="unknown")
    assert bool(found.causes) is explains


def test_a_hint_explains_less_beside_a_failure(ranked: Rank) -> None:
    alone, beside = ranked(OLD, WARNED, outcome="failed"), ranked(OLD + "lost the device 1\n", WARNED)
    assert shares_of(beside)["setup.driver"] < shares_of(alone)["setup.driver"]


def test_a_failure_explains_also_far_from_the_end(ranked: Rank) -> None:
    assert ranked("lost the device 1\n" + "a line\n" * 40, outcome="running").confidence > 0.5


def test_an_exception_does_not_outweigh_what_it_says_itself(ranked: Rank) -> None:
    any_error = signature("any", "failure", "{kind:word}Error: {text:rest}", "traits: [generic]")
    files = {**FILES, "corpus/demo/any.yaml": any_error}
    raised = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\n{}Error: {}\n'
    during = "\nDuring handling of the above exception, another exception occurred:\n\n"
    alone, last = raised.format("Runtime", "peer 3 went away"), raised.format("Value", "odd") + during
    assert ranked(last + alone, files).confidence < ranked(alone, files).confidence


def test_a_cause_that_is_less_likely_than_an_unknown_one_is_not_named(ranked: Rank) -> None:
    weak = WARNED["rules/setup/driver.yaml"].replace("strength: shows", "strength: allows")
    any_error = signature("any", "failure", "{kind:word}Error: {text:rest}", "traits: [generic]")
    files = {**WARNED, "rules/setup/driver.yaml": weak, "corpus/demo/any.yaml": any_error}
    assert ranked(OLD, files, outcome="failed").causes
    beside = ranked(f"{OLD}OddError: nobody knows this\n", files)
    assert (beside.causes, beside.outcome) == ((), "failed")


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (
            "n3:12:13 [2] enqueue.cc:485 NCCL WARN Cuda failure 901 'operation failed due to a previous error during capture'",
            "code.compile-limits",
        ),
        (
            "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error, NCCL version 2.19.3",
            "distributed.peer-failed",
        ),
    ],
)
def test_a_consequence_explains_beside_a_broader_message_of_its_entry(
    built_in_catalog: Catalog, log: str, cause: str
) -> None:
    incident = incident_of(log.encode(), built_in_catalog)
    assert first_of(rank_causes(incident, built_in_catalog)).rule.cause == cause


def test_nothing_explains_a_run_that_completed(ranked: Rank) -> None:
    completed = ranked(OLD, WARNED, outcome="completed")
    assert (completed.first, completed.confidence, completed.outcome) == (None, 0.0, "completed")


def test_only_evidence_lifts_what_an_effect_alone_may_claim(ranked: Rank) -> None:
    for log, share in ((FULL.format(free="512 MiB"), 0.99), (FULL.format(free="4 GiB"), EFFECT_ALONE)):
        candidate = first_of(ranked(log))
        effect = candidate._replace(argument=candidate.argument._replace(effect_only=True))
        assert (capped(effect, 0.99), capped(candidate, 0.99)) == (share, 0.99)


def test_a_claim_is_as_high_as_such_claims_proved_right() -> None:
    assert calibrated([]) == []
    assert calibrated([0.5])[0] == pytest.approx(1 / (1 + math.exp(-CLAIM_OFFSET)))
    first, *others = calibrated([0.6, 0.3, 0.1])
    assert first + sum(others) == pytest.approx(1.0)
    assert others[0] == pytest.approx(3 * others[1])
    assert calibrated([0.9])[0] > calibrated([0.6])[0] > calibrated([0.4])[0]

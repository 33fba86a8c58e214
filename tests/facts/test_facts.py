"""Which of several statements of a fact a rule sees, and which framework a run is of."""

from __future__ import annotations

import pytest

from logsense.facts.facts import Facts
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident
from tests.conftest import Write, incident_of
from tests.demo import FILES, signature

MORE = {
    "corpus/demo/about.yaml": signature("about", "hint", "about {subject:word}", "facts: {mem.subject: subject}"),
    "corpus/demo/subject.yaml": signature(
        "subject", "failure", "bad subject, it was about {subject:quoted}", "facts: {mem.subject: subject}"
    ),
    "corpus/other/_program.yaml": "title: Other\nframework: othernet\nshared: true\npaths: [site-packages/other/]\n",
    "corpus/other/noise.yaml": signature("noise", "hint", "other runtime {word:word}").replace("id: demo", "id: other"),
    "rules/_facts/demo.yaml": FILES["rules/_facts/demo.yaml"]
    + "mem.subject: {type: text, title: subject}\nmem.hint: {type: text, own: true, title: hint}\n",
    "corpus/demo/advises.yaml": signature("advises", "hint", "advice: {hint:rest}", "facts: {mem.hint: hint}"),
}


def seen(write_catalog: Write, log: str) -> tuple[Facts, dict[str, Finding], Incident, Catalog]:
    catalog = write_catalog(FILES | MORE)
    incident = incident_of(log.encode(), catalog)
    found = {finding.signature.id: finding for finding in (*incident.failing, *incident.context)}
    return Facts(catalog, incident), found, incident, catalog


def value(facts: Facts, name: str, anchor: Finding) -> object:
    fact = facts.get(name, anchor)
    return fact and fact.value


def test_the_anchors_own_statement_counts_before_others_of_its_entry(write_catalog: Write) -> None:
    facts, found, _, _ = seen(write_catalog, "bad subject, it was about 'more than a word'\n")
    assert value(facts, "mem.subject", found["demo.subject"]) == "more than a word"
    assert value(facts, "mem.subject", found["demo.about"]) == "'more"


def test_an_own_fact_is_of_its_entry_alone(write_catalog: Write) -> None:
    facts, found, _, _ = seen(write_catalog, "advice: buy more\nlost the device 1\n")
    assert value(facts, "mem.hint", found["demo.lost"]) is None
    assert value(facts, "mem.hint", found["demo.advises"]) == "buy more"


def test_messages_of_a_shared_runtime_say_little_of_the_framework(write_catalog: Write) -> None:
    log = "other runtime a\nother runtime b\nother runtime c\n"
    assert seen(write_catalog, log)[0].framework() == "othernet"
    assert seen(write_catalog, log + "lost the device 1\n")[0].framework() == "demonet"


def test_an_exception_that_a_library_raised_has_the_programs_own_line_too(write_catalog: Write) -> None:
    own = '  File "train.py", line 7, in main\n    fit()\n'
    library = '  File "/x/site-packages/demo/trainer.py", line 9, in fit\n    go()\n'
    begin, end = (
        "Traceback (most recent call last):\n",
        "RuntimeError: memory full: asked 2 GiB of 8 GiB, free 512 MiB\n",
    )
    facts, found, _, _ = seen(write_catalog, begin + own + library + end)
    anchor = found["demo.full"]
    assert (value(facts, "exception.own_file", anchor), value(facts, "exception.own_line", anchor)) == ("train.py", 7)
    for frames in (library, library + own):
        facts, found, _, _ = seen(write_catalog, begin + frames + end)
        assert value(facts, "exception.own_line", found["demo.full"]) is None


LATE = (
    "[rank0]:[E0503 06:01:07.926 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout:"
    " WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600029 milliseconds"
    " before timing out.\n"
)
LAUNCHER = """Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
    sys.exit(main())
{error}
"""


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: train.py FAILED", None),
        ("RuntimeError: the loader is gone", "RuntimeError"),
    ],
)
def test_the_exception_of_a_launcher_is_not_that_of_a_worker(
    built_in_catalog: Catalog, error: str, shown: str | None
) -> None:
    log = LATE + LAUNCHER.format(error=error)
    incident = incident_of(log.encode(), built_in_catalog)
    fact = Facts(built_in_catalog, incident).get("exception.type", incident.failing[0])
    assert (fact and fact.value) == shown

"""What a noise message claims: its own lines, and not a traceback that was only joined to them."""

from __future__ import annotations

import pytest

from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.record import Raised
from logsense.runs.failures import failures_in
from tests.conftest import Write, incident_of
from tests.demo import FILES, signature

MORE = {
    "corpus/demo/late.yaml": signature("late", "noise", "a warning at the exit", "says: it ends nothing"),
    "corpus/demo/broken.yaml": signature("broken", "failure", "broken {what:word}"),
}
OWN = "a warning at the exit\nTypeError: broken pipe"
JOINED = 'a warning at the exit\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\nTypeError: broken pipe'


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    return write_catalog(FILES | MORE)


@pytest.mark.parametrize(("text", "failed"), [(OWN, []), (JOINED, ["demo.broken"])])
def test_a_noise_message_claims_its_own_exception_alone(catalog: Catalog, text: str, failed: list[str]) -> None:
    incident = incident_of(b"broken pipe\na warning at the exit\n", catalog)
    found = {one.signature.id: one for one in (*incident.failing, *incident.survived, *incident.noise)}
    record = found["demo.broken"].record._replace(
        text=text, lines=(1, 2, 3, 4), raised=Raised("TypeError", "broken pipe", ())
    )
    run: list[Finding] = [
        found["demo.late"]._replace(record=record, at=0),
        found["demo.broken"]._replace(record=record, at=text.index("broken")),
    ]
    assert [one.signature.id for one in failures_in(run)] == failed

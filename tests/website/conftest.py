"""The knowledge of the page that recognizes messages, built once."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from website.likely import causes_of_all
from website.recognizer import Knowledge, knowledge


@pytest.fixture(scope="session")
def known() -> Knowledge:
    """Return the knowledge with causes in the rules' own order: explaining all samples takes half a minute."""
    return knowledge(load_catalog(), causes_of_all(load_catalog(), {}))

"""What the page that recognises messages knows, made once."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from website.likely import causes_of_all
from website.recogniser import Knowledge, knowledge


@pytest.fixture(scope="session")
def known() -> Knowledge:
    """With causes in the rules' own order: explaining all samples takes half a minute."""
    return knowledge(load_catalog(), causes_of_all(load_catalog(), {}))

"""A notebook is saved whenever it is: that its last output stands there proves nothing."""

from __future__ import annotations

import json

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text

LOADING = "Loading checkpoint shards:  33%|███▎      | 1/3 [00:10<00:21, 10.36s/it]\n"


def test_its_last_output_is_not_what_a_program_ended_with(built_in_catalog: Catalog) -> None:
    output = {"output_type": "stream", "name": "stderr", "text": [LOADING]}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["load()"], "outputs": [output]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (first,) = explain_text(LOADING.encode(), built_in_catalog).diagnoses
    assert first.cause == "host-memory.oom-killed"
    assert explain_text(json.dumps(notebook).encode(), built_in_catalog, name="train.ipynb").diagnoses == ()

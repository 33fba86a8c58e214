"""A message that begins with a level is found where that was taken for a logger's."""

from __future__ import annotations

import pytest

from logsense.match.read import scan_text
from logsense.model.knowledge import Catalog

STAMP = "2026-03-07T22:58:31.123456Z "
LOGGED = "2026-03-07 22:58:31,123 - root - ERROR - "


@pytest.mark.parametrize("prefix", ["", STAMP, LOGGED])
@pytest.mark.parametrize(
    ("message", "signature"),
    [
        ("ERROR: Failed building wheel for flash-attn", "pip.build-failed"),
        ("ERROR: Could not build wheels for xformers, which is required to install", "pip.build-failed"),
        ("FATAL: kernel too old", "glibc.kernel-too-old"),
        ("WARNING: Open MPI failed to handshake with a connecting peer MPI", "openmpi.btl-tcp"),
        ("INFO: rcu_sched detected stalls on CPUs/tasks:", "linux.lockup"),
    ],
)
def test_behind_a_prefix(prefix: str, message: str, signature: str, built_in_catalog: Catalog) -> None:
    text = "".join(f"{prefix}{line}\n" for line in ("it begins", "it goes on", message, "it ends"))
    found = {one.signature.id: one for one in scan_text(text.encode(), built_in_catalog, "log").findings}
    assert signature in found
    assert found[signature].at == 0
    assert found[signature].record.line == 3


def test_the_rest_of_the_message_alone_is_not_enough(built_in_catalog: Catalog) -> None:
    text = b"it begins\nkernel too old\nit ends\n"
    assert not scan_text(text, built_in_catalog, "log").findings

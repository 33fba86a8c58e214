"""What a shell can complete: the ids of causes and messages, and the names of runs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def known(what: str) -> Callable[[str], list[str]]:
    """What gives the ids of all "causes" or "signatures", or the names of all "runs", that begin with a text."""

    def begin_with(incomplete: str) -> list[str]:
        try:
            return [one for one in _names(what) if one.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - a shell that waits for an answer is no place for errors
            return []

    return begin_with


def _names(what: str) -> list[str]:
    if what == "runs":
        from logsense.recorder.folder import state_folder
        from logsense.recorder.runs import run_names

        root = state_folder()
        return run_names(root) if root else []
    from logsense.catalog.load import load_catalog

    catalog = load_catalog()
    return list(catalog.causes) if what == "causes" else list(catalog.ids)

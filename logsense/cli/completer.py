"""Complete the ids of causes and messages, and the names of runs, for a shell."""

from __future__ import annotations

from collections.abc import Callable


def completer(kind: str) -> Callable[[str], list[str]]:
    """Return a function from a prefix to the matching ids or names. `kind` is "causes", "signatures" or "runs"."""

    def complete(incomplete: str) -> list[str]:
        try:
            return [one for one in _names(kind) if one.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - the shell would print the error into the command line
            return []

    return complete


def _names(kind: str) -> list[str]:
    if kind == "runs":
        from logsense.recorder.folder import state_folder
        from logsense.recorder.runs import run_names

        root = state_folder()
        return run_names(root) if root else []
    from logsense.catalog.load import load_catalog

    catalog = load_catalog()
    return list(catalog.causes) if kind == "causes" else list(catalog.ids)

"""How a process of our own is started beside a job."""

from __future__ import annotations

import os


def program_of(module: str) -> str:
    """What `python -c` runs the `main` of a module of ours by, with the arguments that follow.

    The job's own folder must not come first where modules are found.
    """
    home = os.path.abspath(__file__)
    for _ in __name__.split("."):
        home = os.path.dirname(home)
    path = f"import sys; sys.path = [{home!r}, *filter(None, sys.path)]"
    return f"{path}; from {module} import main; main(sys.argv[1:])"

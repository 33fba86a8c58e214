"""Runs logsense beside real schedulers, launchers, frameworks and limits. Nothing here is part of `pytest`; see README.md."""

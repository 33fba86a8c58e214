"""The software that a job runs with: its Python, packages, libraries, tools and variables."""

from logsense.machine.environment.read import environment_facts, read_environment

__all__ = ["environment_facts", "read_environment"]

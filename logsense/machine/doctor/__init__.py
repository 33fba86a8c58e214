"""Checks a machine from the driver up, by elimination."""

from logsense.machine.doctor.check import check

__all__ = ["check"]

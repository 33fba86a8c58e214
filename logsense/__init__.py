"""Explains why a training run failed, from its log."""

__version__ = "0.1.0"

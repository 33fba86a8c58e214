"""Causes → the report: sentences filled in, fixes selected, commands written."""

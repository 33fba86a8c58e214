"""Turns lines into records: prefixes removed, tracebacks joined."""

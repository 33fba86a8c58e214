"""Lines → records: prefixes removed, tracebacks joined."""

"""Turn lines into records: prefixes removed, tracebacks joined."""

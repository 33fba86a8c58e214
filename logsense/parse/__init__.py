"""From bytes to records: lines, prefixes, joined tracebacks, pastes and JSON logs."""

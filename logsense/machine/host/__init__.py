"""The host: memory, control groups, kernel log, processes."""

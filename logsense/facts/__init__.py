"""Facts about a run: stated in its log, derived, looked up in tables, or read from the machine."""

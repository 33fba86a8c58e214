"""Findings become incidents: what failed, what followed from it, what was survived."""

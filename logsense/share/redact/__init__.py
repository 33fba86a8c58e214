"""Hides secrets, people and machines in a report before it is passed on."""

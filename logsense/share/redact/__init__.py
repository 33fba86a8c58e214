"""Mask secrets and the names of people and machines in a report before it is shared."""

"""Frozen, typed values that all stages share."""

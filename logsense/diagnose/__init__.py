"""Incident and rules become ranked diagnoses, with sentences and commands filled in."""

"""Finds, decodes and checks corpus/ and rules/."""

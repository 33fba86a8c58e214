"""Counts on the hot paths, the same on any machine: a change that makes one of them slower fails a test."""

"""Watches a run from within a Python program: hooks, blocks, logging, callbacks, notebooks."""

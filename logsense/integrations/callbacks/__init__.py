"""Watches a training loop: the monitor, and adapters for frameworks. See `logsense.callbacks`."""

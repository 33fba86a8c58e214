"""Watch a training loop: the monitor and its adapters for frameworks. See `logsense.callbacks`."""

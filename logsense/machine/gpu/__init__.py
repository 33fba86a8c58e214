"""The GPU driver and its devices."""

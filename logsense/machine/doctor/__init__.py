"""Check this machine step by step, from the driver up."""

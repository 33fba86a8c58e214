"""The only access to the GPU driver, the host and the environment. What can't be read is None, with a reason."""

"""The environment of a job: its Python, packages, libraries and variables."""

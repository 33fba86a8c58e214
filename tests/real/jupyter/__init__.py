"""A real JupyterLab in a browser: `setup.sh`, then `python -m tests.real.jupyter`."""

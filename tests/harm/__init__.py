"""Does harm to logsense beside a job, and looks whether the job notices: `pytest -m harm`, `python -m tests.harm`."""

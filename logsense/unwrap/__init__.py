"""Logs inside something else, such as JSON lines, a notebook or a quoted mail → plain lines."""

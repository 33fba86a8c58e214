"""Within a run: what ended it, what it survived, and what is noise."""

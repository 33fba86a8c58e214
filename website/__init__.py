"""The documentation as a site: made from docs/, the commands' own tables and the catalog. `python -m website` builds it."""

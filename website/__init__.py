"""The documentation as a site, made from docs/, the commands and the catalog: `python -m website` builds it."""

"""Fuzz targets: any bytes in, no exception, no hang, bounded memory. `python -m tests.fuzz TARGET --inputs N`."""

"""Fuzz targets: any input must neither raise, hang, nor exhaust memory. `python -m tests.fuzz TARGET --inputs N`."""

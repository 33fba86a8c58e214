"""Which stretch of which log is one run, and which run is asked about."""

"""The command line: reads options, calls the library, prints, sets the exit status."""

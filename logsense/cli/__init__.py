"""The command line: parse options, call the library, print, set the exit status."""

"""The command line: parse options, call the library, print, set the exit status."""

FOR_ALL = ("--help", "-h", "--version")  # options of every command

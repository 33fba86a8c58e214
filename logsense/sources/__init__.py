"""Where bytes come from: files, folders, compressed logs, standard input, text given on the command line."""

"""Open to every package: times, files, errors, cores and regexes."""

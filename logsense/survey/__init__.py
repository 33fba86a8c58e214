"""Survey many jobs: find them, read the new ones, store the results, summarize them."""

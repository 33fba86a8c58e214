"""Tools for those who write signatures and rules: checks, tests, skeletons, the schema."""

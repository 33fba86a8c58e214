"""Machine-independent counts on the hot paths: a change that makes one of them slower fails a test."""

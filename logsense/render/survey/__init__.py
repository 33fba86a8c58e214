"""A survey as text, HTML, JSON, CSV or Parquet."""

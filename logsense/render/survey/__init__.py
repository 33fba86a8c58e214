"""Render surveys as text, HTML, JSON, CSV or Parquet."""

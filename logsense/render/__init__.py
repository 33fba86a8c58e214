"""Render reports, check-ups, surveys and bundles: values in, text out."""

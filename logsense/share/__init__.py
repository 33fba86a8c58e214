"""Make a report safe to share: redaction, bundles, notifications."""

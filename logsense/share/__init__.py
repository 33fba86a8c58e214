"""Makes an answer safe to share: redaction, bundles, notifications."""

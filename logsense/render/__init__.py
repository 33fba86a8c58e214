"""A report as text, JSON, Markdown, GitHub annotations or HTML; nothing but values come in."""

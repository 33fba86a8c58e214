"""Logs that programs keep and give out by asking: Loki, Elasticsearch and OpenSearch, systemd's journal, Kubernetes."""

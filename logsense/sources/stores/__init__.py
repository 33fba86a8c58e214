"""Log stores that are queried: Loki, Elasticsearch and OpenSearch, systemd's journal, Kubernetes."""

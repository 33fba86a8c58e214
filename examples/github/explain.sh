#!/usr/bin/env bash
# What the action does (see action.yml): annotations, the step summary, and the files that were asked for.
set -euo pipefail

if ! command -v logsense >/dev/null; then
    home=$(mktemp -d)
    "$PYTHON" -m venv "$home"
    "$home/bin/pip" install --quiet --disable-pip-version-check "$ACTION"
    PATH="$home/bin:$PATH"
fi

own=(${RULES:+--rules "$RULES"})
logsense explain --redact --format github ${own[@]+"${own[@]}"} -- "$LOG"
if [ -n "$REPORT" ]; then
    logsense report --quiet --output "$REPORT" ${own[@]+"${own[@]}"} -- "$LOG"
fi
if [ -n "$SARIF" ]; then
    logsense explain --redact --format sarif --output "$SARIF" ${own[@]+"${own[@]}"} -- "$LOG"
fi
logsense explain --format json ${own[@]+"${own[@]}"} -- "$LOG" | "$PYTHON" -c '
import json, sys

report = json.load(sys.stdin)
first = next(iter(report["diagnoses"]), {})
print("verdict=" + ((report["rerun"] or {}).get("verdict") or ""))
print("cause=" + first.get("cause", ""))
' >>"${GITHUB_OUTPUT:-/dev/null}"

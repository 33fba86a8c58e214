#!/bin/bash
# Install packages, for the CPU, into the environment that the real programs run in: python.sh PACKAGE…
set -euo pipefail
venv=${LOGSENSE_REAL:-/tmp/logsense-real}/cpu
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install -q --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu "$@"

#!/bin/bash
# Set up JupyterLab and Chromium for `python -m tests.real.jupyter`.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
command -v chromium >/dev/null || apt-get install -y -q chromium
"$here/../python.sh" jupyterlab websocket-client pyyaml psutil "$here/../../.."

#!/bin/bash
# `python -m tests.real host` needs root for control groups and mounts, and PyTorch for its data loader.
set -euo pipefail
"$(dirname "${BASH_SOURCE[0]}")/../python.sh" numpy torch

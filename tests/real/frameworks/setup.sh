#!/bin/bash
# Set up frameworks on the CPU for `python -m tests.real frameworks`.
set -euo pipefail
"$(dirname "${BASH_SOURCE[0]}")/../python.sh" numpy torch transformers accelerate deepspeed lightning keras jax "ray[train]"

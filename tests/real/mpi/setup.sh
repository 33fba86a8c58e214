#!/bin/bash
# Set up Open MPI, MPICH, mpi4py and PyTorch for `python -m tests.real mpi`. Debian or Ubuntu, root.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${LOGSENSE_REAL:-/tmp/logsense-real}
wanted="openmpi-bin mpich"
# shellcheck disable=SC2086
dpkg -s $wanted >/dev/null 2>&1 || {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $wanted >/dev/null
}
"$here/../python.sh" numpy torch mpi4py
# mpi4py's wheel looks for MPICH under the name that its own packages have.
mkdir -p "$root/mpich"
ln -sf "$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -1)" "$root/mpich/libmpi.so.12"

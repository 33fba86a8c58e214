#!/bin/bash
# Epilog for slurm.conf: explains every failed job beside its log, as the job's user. Users need not know about it.
#   Epilog=/etc/slurm/epilog.sh
# It never fails: an epilog that ends with another status than 0 drains the node.
# Runs on each node of a job; only the first one explains. https://slurm.schedmd.com/prolog_epilog.html

limit_s=60
export PATH  # slurmd sets none, and bash does not pass its own default on

explain() {
    local first state log
    first=$(scontrol show hostnames "${SLURM_JOB_NODELIST:-$SLURM_NODELIST}" | head -n 1)
    [ "$first" = "${SLURMD_NODENAME:-$(hostname -s)}" ] || return
    state=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's/.* ExitCode=\([0-9]*:[0-9]*\).*/\1/p' | head -n 1)
    [ "$state" != "0:0" ] || return
    log=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's/^ *StdOut=//p' | head -n 1)
    [ -f "$log" ] || return
    as_user timeout "$limit_s" logsense explain --quiet --color never --output "$log.why" -- "$log"
}

# The log and what is written beside it belong to the user; root must not follow the user's links.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        runuser -u "$SLURM_JOB_USER" -- "$@"
    else
        "$@"
    fi
}

explain >/dev/null 2>&1
exit 0

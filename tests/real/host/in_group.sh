#!/bin/bash
# Run a command in a memory control group of its own: in_group.sh BYTES COMMAND…
set -e
groups=/sys/fs/cgroup
if [ -f $groups/cgroup.controllers ]; then
    group=$groups/logsense-$$ limit=memory.max
    mkdir "$group"
else
    group=$groups/memory/logsense-$$ limit=memory.limit_in_bytes
    mkdir "$group"
fi
echo "$1" >"$group/$limit"
shift
(echo $BASHPID >"$group/cgroup.procs" && exec "$@") || status=$?
rmdir "$group" 2>/dev/null || true
exit "${status:-0}"

# cause: host-limits.open-files, host-limits.processes
# limits: nofile=20
kept = [open("/dev/null") for _ in range(100)]

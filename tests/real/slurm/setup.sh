#!/bin/bash
# Set up a real Slurm with two nodes on this machine, for `python -m tests.real.slurm`. Debian or Ubuntu, root.
#   tests/real/slurm/setup.sh          install, configure, start
#   tests/real/slurm/setup.sh stop     stop the daemons and remove their folder
# Everything listens on loopback and lies below $LOGSENSE_REAL (default /tmp/logsense-real).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../../.." && pwd)
root=${LOGSENSE_REAL:-/tmp/logsense-real}
base=$root/slurm
user=trainer
export SLURM_CONF=$base/etc/slurm.conf

stop() {
    local pidfile pid
    for pidfile in "$base"/run/*.pid; do
        [ -f "$pidfile" ] || continue
        pid=$(cat "$pidfile")
        kill "$pid" 2>/dev/null || true
        timeout 20 tail --pid="$pid" -f /dev/null 2>/dev/null || kill -9 "$pid" 2>/dev/null || true
    done
    rm -rf "${base:?}"
}

packages() {
    local wanted="slurm-wlm slurm-wlm-basic-plugins slurmdbd munge mariadb-server python3-venv"
    # shellcheck disable=SC2086
    dpkg -s $wanted >/dev/null 2>&1 && return
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $wanted >/dev/null
}

# The jobs' own user, and a logsense that it can read: root's Python may lie where it can't.
programs() {
    id "$user" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$user"
    mkdir -p "$base"/{etc,run,log,state,spool,db,jobs}
    chmod 755 "$root" "$base" "$base/etc"
    chown "$user" "$base/jobs"
    if [ ! -x "$root/venv/bin/logsense" ]; then
        /usr/bin/python3 -m venv "$root/venv"
        "$root/venv/bin/pip" install -q --no-cache-dir -e "$project"
    fi
    sed "2i PATH=$root/venv/bin:\$PATH" "$project/examples/slurm/epilog.sh" >"$base/etc/epilog.sh"
    chmod 755 "$base/etc/epilog.sh"
}

start_munge() {
    [ -s /etc/munge/munge.key ] || { head -c 1024 /dev/urandom >/etc/munge/munge.key; chown munge /etc/munge/munge.key; chmod 400 /etc/munge/munge.key; }
    munge -n </dev/null >/dev/null 2>&1 && return
    mkdir -p /run/munge
    chown munge: /run/munge
    runuser -u munge -- munged
    cp /run/munge/munged.pid "$base/run/munged.pid"
}

start_database() {
    local socket=$base/run/db.sock
    chown -R mysql: "$base/db"
    chmod 777 "$base/run"
    [ -d "$base/db/mysql" ] || mariadb-install-db --no-defaults --user=mysql --datadir="$base/db" >"$base/log/install-db.log" 2>&1
    mariadbd --no-defaults --user=mysql --datadir="$base/db" --socket="$socket" --pid-file="$base/run/db.pid" \
        --bind-address=127.0.0.1 --port=16033 --innodb-buffer-pool-size=64M >"$base/log/db.log" 2>&1 &
    wait_for mariadb-admin --no-defaults --socket="$socket" ping
    mariadb --no-defaults --socket="$socket" -e "CREATE DATABASE IF NOT EXISTS slurm;
        CREATE USER IF NOT EXISTS 'slurm'@'localhost' IDENTIFIED BY 'slurm'; GRANT ALL ON slurm.* TO 'slurm'@'localhost';
        CREATE USER IF NOT EXISTS 'slurm'@'127.0.0.1' IDENTIFIED BY 'slurm'; GRANT ALL ON slurm.* TO 'slurm'@'127.0.0.1'"
}

configure() {
    local host
    host=$(hostname -s)
    for node in 1 2; do mkdir -p "$base/spool/n$node"; done
    cat >"$base/etc/slurmdbd.conf" <<END
AuthType=auth/munge
DbdHost=localhost
DbdPort=16819
SlurmUser=root
LogFile=$base/log/slurmdbd.log
PidFile=$base/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=16033
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
END
    chmod 600 "$base/etc/slurmdbd.conf"
    cat >"$base/etc/cgroup.conf" <<END
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainRAMSpace=yes
ConstrainCores=no
END
    cat >"$SLURM_CONF" <<END
ClusterName=real
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool/%n
SlurmctldPidFile=$base/run/slurmctld.pid
SlurmdPidFile=$base/run/slurmd-%n.pid
SlurmctldLogFile=$base/log/slurmctld.log
SlurmdLogFile=$base/log/slurmd-%n.log
SlurmctldPort=16817
ProctrackType=proctrack/linuxproc
TaskPlugin=task/cgroup
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=16819
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerNode=400
SchedulerParameters=bf_interval=2,sched_interval=2,sched_min_interval=100000
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=3
MinJobAge=3600
OverTimeLimit=0
ReturnToService=2
SlurmdTimeout=20
MpiDefault=none
Epilog=$base/etc/epilog.sh
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=16821 CPUs=8 RealMemory=8000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=16822 CPUs=8 RealMemory=8000 State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE MaxTime=60 State=UP
PartitionName=cancel Nodes=ALL PriorityTier=1 PreemptMode=CANCEL GraceTime=0 MaxTime=60 State=UP
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF MaxTime=60 State=UP
END
}

wait_for() {
    for _ in $(seq 60); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.5
    done
    echo "did not start: $*" >&2
    return 1
}

start_slurm() {
    slurmdbd
    wait_for sacctmgr -n show cluster
    sacctmgr -i -n show cluster | grep -q real || sacctmgr -i add cluster real >/dev/null
    slurmctld -c
    for node in n1 n2; do slurmd -N "$node" -c; done
    wait_for sh -c "sinfo -h -N -t idle | grep -q n2"
}

case ${1:-start} in
start)
    stop
    packages
    programs
    configure
    start_munge
    start_database
    start_slurm
    sinfo -N
    ;;
stop) stop ;;
*) echo "usage: $0 [start|stop]" >&2; exit 2 ;;
esac

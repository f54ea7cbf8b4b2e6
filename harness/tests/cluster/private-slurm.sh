# A private Slurm on this machine, for slurm.sh: munged, slurmctld and one slurmd, with all their files in one
# directory. They listen only on loopback, need neither root nor systemd nor control groups, and do not touch an
# installed Slurm.
# shellcheck shell=bash

# Debian keeps the daemons out of the PATH of ordinary users.
PATH=$PATH:/usr/sbin:/sbin

# The Debian packages of missing commands.
slurm_missing() {
  local pair
  for pair in munged:munge slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client; do
    command -v "${pair%:*}" >/dev/null || printf '%s ' "${pair#*:}"
  done
}

# Whether this port of loopback is free.
port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A free port other than $1.
free_port() {
  local port
  for _ in {1..50}; do
    port=$((20000 + RANDOM % 10000))
    if [ "$port" != "${1:-}" ] && port_is_free "$port"; then
      echo "$port"
      return
    fi
  done
  return 1
}

# Starts it in directory $1, after test.sh has called `mark`.
slurm_start() {
  local dir=$1 me host ctld_port slurmd_port hardware name
  me=$(id -un) host=$(hostname -s)
  export SLURM_CONF=$dir/slurm.conf
  # Removes the variables of the caller's own cluster and job.
  for name in $(compgen -e); do
    case $name in SLURM_CONF) ;; SLURM_* | SBATCH_* | SCONTROL_* | SQUEUE_*) unset "$name" ;; esac
  done

  # munged needs its socket in a directory that everyone may enter.
  chmod 755 "$dir"
  mkdir -p "$dir"/{log,munge,state,spool}
  (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key")
  chmod 711 "$dir/munge"
  munged --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
    --seed-file="$dir/munge/seed" --log-file="$dir/log/munged.log" --num-threads=2

  ctld_port=$(free_port) && slurmd_port=$(free_port "$ctld_port")
  # slurmctld accepts a node only if it matches its description.
  hardware=$(slurmd -C | sed -n 's/^NodeName=[^ ]* //p')
  cat >"$SLURM_CONF" <<CONF
ClusterName=castbench-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$ctld_port
SlurmdPort=$slurmd_port
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
SlurmUser=$me
SlurmdUser=$me
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
# Seconds: from the last warning to the end of a job; between two attempts to start jobs.
KillWait=10
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
NodeName=$host NodeAddr=127.0.0.1 $hardware
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE
CONF
  slurmctld -c >>"$dir/log/slurmctld.out" 2>&1
  slurmd >>"$dir/log/slurmd.out" 2>&1
}

# Whether the node can run a job.
slurm_is_up() { [ "$(timeout 10 sinfo --noheader --format=%T 2>/dev/null)" = idle ]; }

# Ends all processes that test.sh started. Daemons leave the process group and the session of their parent, but keep its
# environment.
# shellcheck shell=bash

# Processes started from now on have directory $1 in their environment.
mark() { export CASTBENCH_CLUSTER_TEST=$1; }

# The processes with this mark.
marked() {
  (
    # Otherwise this process would find itself.
    unset CASTBENCH_CLUSTER_TEST
    # grep fails if it finds none, and for processes that ended or belong to other users.
    { grep -lzxF "CASTBENCH_CLUSTER_TEST=$1" /proc/[0-9]*/environ 2>/dev/null || true; } | cut -d / -f 3
  )
}

# The processes working in directory $1: the guards of Slurm's jobs overwrite their environment with their title.
at_work_in() { { find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1/*" 2>/dev/null || true; } | cut -d / -f 3; }

# Kills all processes started since `mark $1`; the caller must not be in that directory. Fails if they do not end.
end_marked() {
  local pids
  for _ in {1..50}; do
    mapfile -t pids < <(marked "$1" && at_work_in "$1")
    [ "${#pids[@]}" -gt 0 ] || return 0
    # Repeated, because they may start others meanwhile.
    kill -KILL "${pids[@]}" 2>/dev/null || true
    sleep 0.1
  done
  printf 'these processes do not end: %s\n' "${pids[*]}" >&2
  return 1
}

# Ends whatever test.sh has started, however deep: daemons leave the process group and the session of who starts them, but
# not their environment.
# shellcheck shell=bash

# From now on, what is started carries directory $1 in its environment.
mark() { export CASTBENCH_CLUSTER_TEST=$1; }

# The processes marked so.
marked() {
  (
    # Else this would find itself.
    unset CASTBENCH_CLUSTER_TEST
    # Fails where it finds none, and at what is gone by now or another user's.
    { grep -lzxF "CASTBENCH_CLUSTER_TEST=$1" /proc/[0-9]*/environ 2>/dev/null || true; } | cut -d / -f 3
  )
}

# Those at work in directory $1: the guards of Slurm's jobs write their title over their environment.
at_work_in() { { find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1/*" 2>/dev/null || true; } | cut -d / -f 3; }

# Kill everything that was started since `mark $1`; the caller must not be in that directory. Fails if it does not end.
end_marked() {
  local pids
  for _ in {1..50}; do
    mapfile -t pids < <(marked "$1" && at_work_in "$1")
    [ "${#pids[@]}" -gt 0 ] || return 0
    # Again and again, for what they may have started in the meantime.
    kill -KILL "${pids[@]}" 2>/dev/null || true
    sleep 0.1
  done
  printf 'these processes do not end: %s\n' "${pids[*]}" >&2
  return 1
}

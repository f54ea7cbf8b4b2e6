# Runs configs/cluster/sweep.sbatch and a dependent merge on the Slurm of private-slurm.sh. Each task is disturbed in a
# different way: near its time limit, killed, requeued by Slurm, cancelled. Sourced by test.sh.
# shellcheck shell=bash

# No client of Slurm may hang.
slurm() { timeout "$PATIENCE" "$@"; }
submit() { slurm sbatch --parsable --cpus-per-task=1 --mem=256M "$@"; }
submit_merge() {
  submit --dependency="afterok:$1" --kill-on-invalid-dep=yes --output=merge-%j.log \
    --wrap "exec '$CASTBENCH' merge out/shard-* --out out"
}
# Whether job or task $1 is in state $2.
is() { [ "$(slurm squeue --noheader --states=all --array --jobs="$1" --format=%T)" = "$2" ]; }
log_has() { grep -q "$2" "castbench-${1/_/-}.log"; }

# Starts task $1 of the array and waits until it has rows.
start() {
  slurm scontrol release "${array}_$1"
  await "shard $1 to have rows" has_rows "$1" out
}
# Waits until requeued task $1 runs again. Slurm delays it by two minutes for the cleanup of its first start; here it is
# started at once. In the second in which it ended the first start, the node refuses another; the task then fails or waits.
runs_again() {
  log_has "$1" 'start [2-9]' && return
  sleep 2
  ! is "$1" FAILED || slurm scontrol requeue "$1"
  slurm scontrol update JobId="$1" StartTime=now 2>/dev/null || true
  return 1
}
await_second_start() {
  await "task $1 to be back in the queue" is "$1" PENDING
  await "task $1 to start again" runs_again "$1"
}

# $1: the root of the sources; $2: the directory of Slurm.
slurm_test() {
  local script=$1/configs/cluster/sweep.sbatch shards=4 array merge rest task
  slurm_start "$2"
  await 'the node of Slurm to be idle' slurm_is_up
  say "$(slurmctld -V) is up"

  # On hold, so that no task ends before it is disturbed.
  array=$(submit --hold --array="1-$shards" "$script" my.toml out)
  merge=$(submit_merge "$array")

  start 1
  # The signal that Slurm sends near the time limit. scancel sends it at once, but is told that this failed and repeats
  # it, so it gets only the time for the first.
  timeout 2 scancel --signal=USR1 --batch "${array}_1" 2>/dev/null || true
  await_second_start "${array}_1"
  log_has "${array}_1" 'time limit is near' || die 'the log of task 1 does not tell why it was requeued'
  say 'task 1 came near its time limit, requeued itself and runs again'

  start 2
  # This task is killed after a checkpoint; the others write one when they are told to stop.
  await 'a checkpoint of shard 2' test -e "$(unfinished 2 out)/checkpoint.json"
  kill_sweep 2 out
  await 'task 2 to have failed' is "${array}_2" FAILED
  say 'task 2 was killed and has failed'

  start 3
  slurm scontrol requeue "${array}_3"
  await_second_start "${array}_3"
  say 'task 3 was requeued by Slurm, as after a failure of its node, and runs again'

  start 4
  slurm scancel "${array}_4"
  await 'task 4 to be cancelled' is "${array}_4" CANCELLED
  say 'task 4 was cancelled'

  await 'task 1 to end' is "${array}_1" COMPLETED
  await 'task 3 to end' is "${array}_3" COMPLETED
  await 'the merge to be given up, since two shards are not there' is "$merge" CANCELLED
  is "${array}_4" CANCELLED || die 'task 4 was cancelled and came back'
  [ ! -e out/manifest.json ] || die 'something was merged without all shards'
  say 'tasks 1 and 3 are done, nothing was merged'

  rest=$(submit --array=2,4 "$script" my.toml out "$shards")
  merge=$(submit_merge "$rest")
  await 'the merge to be done' is "$merge" COMPLETED
  say 'tasks 2 and 4 were submitted again, and all was merged'

  for task in "$array"_{1,3} "$rest"_{2,4}; do
    log_has "$task" 'points, .* of them before' || die "task $task did not go on where the one before it was"
  done
  compare out
}

#!/usr/bin/env bash
# Checks that disturbed shards merge into the bytes of one undisturbed sweep: on a private Slurm, started for this test,
# and with GNU parallel.
#
#   harness/tests/cluster/test.sh [CASTBENCH]
#
# Takes a minute. Exit code 0: success. 1: failure, or a program is missing. 130: Ctrl-C.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
CASTBENCH=$(realpath "${1:-${CASTBENCH:-$root/target/debug/castbench}}")
# sweep.sbatch uses $CASTBENCH, the line for GNU parallel the PATH.
export CASTBENCH PATH="${CASTBENCH%/*}:$PATH"

say() { printf '%3d s  %s\n' "$SECONDS" "$*"; }
die() { printf 'failed: %s\n' "$*" >&2; exit 1; }

# The only time limit, in seconds, longer than any step on a busy machine. Steps wait for events.
PATIENCE=900
# Waits for event $1, which has happened once the command after it succeeds.
await() {
  local until=$((SECONDS + PATIENCE)) what=$1
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || die "no sign of $what within $PATIENCE s"
    sleep 0.05
  done
}

# The unfinished files of shard $1 in directory $2.
unfinished() { echo "$2/shard-$1/.castbench-unfinished"; }
# Whether they have rows, more than the header of a file.
has_rows() { [ -n "$(find "$(unfinished "$@")" -name '*.csv' -size +1k 2>/dev/null)" ]; }
# Kills the process that evaluates the shard, as the kernel does without memory.
kill_sweep() { kill -KILL "$(head -n 1 "$2/shard-$1/.castbench-lock")"; }

# Compares directory $1 with the undisturbed sweep.
compare() {
  local file files=0
  for file in alone/*; do
    cmp "$file" "$1/${file#alone/}" || die "$1 is not what the undisturbed sweep wrote"
    files=$((files + 1))
  done
  say "$files files, $(cat alone/* | wc -c) bytes, are those of the undisturbed sweep"
}

# shellcheck source-path=SCRIPTDIR
. "$here/marked.sh"
# shellcheck source-path=SCRIPTDIR
. "$here/private-slurm.sh"
# shellcheck source-path=SCRIPTDIR
. "$here/slurm.sh"
# shellcheck source-path=SCRIPTDIR
. "$here/parallel.sh"

[ -x "$CASTBENCH" ] || die "no castbench at $CASTBENCH; build it: cargo build --locked"
# The line for GNU parallel finds it by this name.
[ "${CASTBENCH##*/}" = castbench ] || die "the program must have the name castbench, and $CASTBENCH has another"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/castbench-cluster.XXXXXX")
mkdir "$scratch/sweeps"

# Nothing remains after any end.
finish() {
  local code=$? log
  # The reader of this output may be gone too.
  trap '' INT TERM HUP PIPE
  cd /
  end_marked "$scratch" || code=1
  if [ "$code" -ne 0 ] && [ "$code" -ne 130 ]; then
    code=1
    for log in "$scratch"/log/* "$scratch"/sweeps/*.log; do
      [ ! -s "$log" ] || { echo "-- the end of $log" && tail -n 40 "$log"; } >&2 || break
    done
  fi
  rm -rf "$scratch"
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
trap 'exit 1' PIPE
mark "$scratch"

cd "$scratch/sweeps"
cp "$here/sweep.toml" my.toml

undisturbed() {
  say 'the undisturbed sweep'
  # In the background, so that Ctrl-C takes effect at once.
  timeout "$PATIENCE" "$CASTBENCH" sweep my.toml --jobs "$(nproc)" --out alone 2>alone.log &
  wait $!
}

for part in slurm parallel; do
  missing=$("${part}_missing")
  [ -z "$missing" ] || die "$part is missing; on Debian: apt-get install --no-install-recommends $missing"
  [ -d alone ] || undisturbed
  "${part}_test" "$root" "$scratch"
  echo "passed: $part"
done

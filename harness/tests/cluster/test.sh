#!/usr/bin/env bash
# Whether shards that are disturbed in every way that a cluster knows are merged into the bytes of one undisturbed sweep:
# by a real Slurm, which is started for this and gone afterwards, and by GNU parallel.
#
#   harness/tests/cluster/test.sh [CASTBENCH]
#
# Takes a minute. Exit code 0: it works; what cannot be tried here is told in a line `skipped: ...`. 1: it does not work.
# 130: Ctrl-C.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
CASTBENCH=$(realpath "${1:-${CASTBENCH:-$root/target/release/castbench}}")
# sweep.sbatch takes the one, the line for GNU parallel the other.
export CASTBENCH PATH="${CASTBENCH%/*}:$PATH"

say() { printf '%3d s  %s\n' "$SECONDS" "$*"; }
die() { printf 'failed: %s\n' "$*" >&2; exit 1; }

# The one limit, in seconds: longer than anything here takes on the busiest machine. What is waited for is an event.
PATIENCE=900
# Wait for $1, which has come once the command that follows succeeds.
await() {
  local until=$((SECONDS + PATIENCE)) what=$1
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || die "waited in vain for $what"
    sleep 0.05
  done
}

# What castbench keeps of shard $1 in directory $2 until it is whole.
unfinished() { echo "$2/shard-$1/.castbench-unfinished"; }
# Whether it holds rows, more than the first line of a file.
has_rows() { [ -n "$(find "$(unfinished "$@")" -name '*.csv' -size +1k 2>/dev/null)" ]; }
# Kill the process that evaluates it, as a kernel out of memory does.
kill_sweep() { kill -KILL "$(head -n 1 "$2/shard-$1/.castbench-lock")"; }

# Whether directory $1 holds what the undisturbed sweep wrote.
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

[ -x "$CASTBENCH" ] || die "no castbench at $CASTBENCH; build it: cargo build --release --locked"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/castbench-cluster.XXXXXX")
mkdir "$scratch/work"

# However this ends, nothing stays.
finish() {
  local code=$? log
  # Whoever reads this may be gone, too.
  trap '' INT TERM HUP PIPE
  cd /
  end_marked "$scratch" || code=1
  if [ "$code" -ne 0 ] && [ "$code" -ne 130 ]; then
    code=1
    for log in "$scratch"/log/* "$scratch"/work/*.log; do
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

cd "$scratch/work"
cp "$here/sweep.toml" my.toml

undisturbed() {
  say 'the undisturbed sweep'
  # In the background, for Ctrl-C to be heard at once.
  timeout "$PATIENCE" "$CASTBENCH" sweep my.toml --jobs "$(nproc)" --out alone 2>alone.log &
  wait $!
}

for part in slurm parallel; do
  missing=$("${part}_missing")
  if [ -z "$missing" ]; then
    [ -d alone ] || undisturbed
    "${part}_test" "$root" "$scratch"
    echo "passed: $part"
  else
    echo "skipped: $part; on Debian it comes with: apt-get install --no-install-recommends $missing"
  fi
done

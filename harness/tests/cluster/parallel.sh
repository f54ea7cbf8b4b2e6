# Runs the line of docs/cluster.md for GNU parallel twice; the first time one of its shards is killed. Sourced by
# test.sh.
# shellcheck shell=bash

parallel_missing() {
  # The program of this name from moreutils has no --version.
  if [[ "$(parallel --version 2>/dev/null)" != GNU* ]]; then echo parallel; fi
}

# $1: the root of the sources.
parallel_test() {
  local line first
  line=$(grep '^seq .*| parallel ' "$1/docs/cluster.md") || die 'docs/cluster.md has no line for GNU parallel'
  timeout "$PATIENCE" bash -c "$line" 2>parallel.log &
  first=$!
  await 'shard 1 to have rows' has_rows 1 results
  kill_sweep 1 results
  ! wait "$first" || die 'GNU parallel does not tell that a shard was killed'
  [ ! -e results/manifest.json ] || die 'something was merged without all shards'
  say 'shard 1 was killed, the others are done, nothing was merged'
  timeout "$PATIENCE" bash -c "$line" 2>parallel.log || die 'the line fails when it is run again'
  say 'the same line finished shard 1, and all was merged'
  compare results
}

# shellcheck shell=bash disable=SC2154 # root is common.sh's
# The pool of clusters that scripts/test lends to its tests: see tests/src/cluster/pool.rs. Tests
# make the clusters, and this script removes them. Every cluster also ends by itself when no process
# has the pipe `lifeline` open for writing, which is this script alone: nothing is left when the
# script is killed.

# open_pool: sets RANKFOLD_TEST_CLUSTERS, and `lifeline`, the open end of the pipe. Commands that
# outlive this script must be started with {lifeline}>&-.
open_pool() {
    RANKFOLD_TEST_CLUSTERS=$(mktemp -d -t rankfold-tests.XXXXXX)
    export RANKFOLD_TEST_CLUSTERS
    mkfifo "$RANKFOLD_TEST_CLUSTERS/lifeline"
    exec {lifeline}<> "$RANKFOLD_TEST_CLUSTERS/lifeline"
}

close_pool() {
    local cluster
    [ -n "${RANKFOLD_TEST_CLUSTERS:-}" ] || return 0
    for cluster in "$RANKFOLD_TEST_CLUSTERS"/*/cluster; do
        [ ! -d "$cluster" ] || "$root/scripts/cluster" down "$cluster"
    done
    rm -rf "$RANKFOLD_TEST_CLUSTERS"
}

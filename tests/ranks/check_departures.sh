#!/usr/bin/env bash
# Checks on 2 to 4 ranks of MPI that no call waits for ever if a rank closes its end early. If mpirun
# cannot start processes, prints this and does nothing.
#
#   check_departures.sh PROGRAM MPIRUN
set -eu

program=$1 mpirun=$2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ulimit -t 20 # processor seconds of each rank

if ! said=$(timeout 60 "$mpirun" -n 2 true 2>&1); then
    echo "skipped: mpirun cannot start two processes here:"
    echo "$said"
    exit 77
fi

# try COUNT CALL HOW LEAVER: runs mpi_departures on COUNT ranks and checks that all of them end well.
try() {
    count=$1
    shift
    echo "$count ranks: $*"
    rm -f "$work/heard"
    timeout 100 "$mpirun" -n "$count" "$program" "$@" "$work/heard" || {
        echo "status $? (124: a rank waited for ever)"
        exit 1
    }
}

for call in agree multiply solve gather; do
    try 2 $call fail 1
    try 3 $call close 0
    try 4 $call fail 2
    try 4 $call stay 0
    try 3 $call hold 1
done
try 4 multiply close 3
try 2 agree close 1

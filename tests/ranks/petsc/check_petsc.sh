#!/bin/sh
# Tests furrow_petsc on 1 to 3 ranks. If mpirun cannot start processes, prints this and does nothing.
#
#   check_petsc.sh MPIRUN PROGRAM [ARGUMENT...]
set -eu

mpirun=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1

if ! said=$(timeout 60 "$mpirun" -n 2 true 2>&1); then
    echo "skipped: mpirun cannot start two processes here:"
    echo "$said"
    exit 77
fi
for count in 1 2 3; do
    echo "$count ranks"
    timeout 240 "$mpirun" -n "$count" "$@"
done

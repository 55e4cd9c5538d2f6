#!/bin/sh
# Checks that furrow-ranks over MPI gives the bits of one rank, and one message for a failure. If mpirun
# cannot start processes, prints this and does nothing.
#
#   check_mpi.sh FURROW_RANKS MPIRUN
set -eu

ranks=$1 mpirun=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1

# start COUNT ARGUMENT...: runs furrow-ranks on COUNT ranks.
start() {
    count=$1
    shift
    timeout 60 "$mpirun" -n "$count" "$ranks" "$@"
}

fail() {
    echo "$*"
    exit 1
}

if ! timeout 60 "$mpirun" -n 2 true >"$work/log" 2>&1; then
    echo "skipped: mpirun cannot start two processes here:"
    cat "$work/log"
    exit 77
fi

# A symmetric matrix of 5 points and one that is not symmetric, both with 900 rows.
awk -v n=30 'BEGIN {
    print "%%MatrixMarket matrix coordinate real symmetric"
    print n * n, n * n, 3 * n * n - 2 * n
    for (i = 0; i < n * n; i++) {
        print i + 1, i + 1, 4.25 + i / 1000
        if (i % n > 0) print i + 1, i, -1
        if (i >= n) print i + 1, i + 1 - n, -1
    }
}' >"$work/symmetric.mtx"
awk -v n=900 'BEGIN {
    print "%%MatrixMarket matrix coordinate real general"
    print n, n, 3 * n
    for (i = n - 1; i >= 0; i--) {
        print i + 1, (7 * i + 3) % n + 1, 0.5
        print i + 1, i + 1, 3 + i / 100
        print i + 1, (i + n / 2) % n + 1, -1
    }
}' >"$work/general.mtx"

# A least-squares problem with three rows for each column and one more row.
awk -v n=300 'BEGIN {
    print "%%MatrixMarket matrix coordinate real general"
    print 3 * n + 1, n, 6 * n + 1
    for (i = 0; i < 3 * n; i++) {
        print i + 1, i % n + 1, 2 + i / 1000
        print i + 1, (i + 7) % n + 1, -1
    }
    print 3 * n + 1, n, 1
}' >"$work/tall.mtx"

compare() {
    name=$1
    shift
    "$ranks" "$@" --out="$work/one.mtx" >"$work/one.txt"
    for count in $counts; do
        start "$count" "$@" --out="$work/many.mtx" --json >"$work/many.json" ||
            fail "$name fails on $count ranks"
        cmp "$work/one.mtx" "$work/many.mtx" || fail "$name has other bits on $count ranks"
        grep -q "\"ranks\": $count" "$work/many.json" || fail "$name did not run on $count ranks"
    done
    echo "$name: the same bits on $counts ranks and on one"
}

counts="2 3 4"
compare "a product" multiply "$work/general.mtx" --repeat=2
compare "cg" solve "$work/symmetric.mtx"
counts="2 5"
compare "cg with two threads" solve "$work/symmetric.mtx" --threads=2
compare "gmres" solve "$work/general.mtx" --method=gmres
compare "minres with jacobi" solve "$work/symmetric.mtx" --method=minres
compare "cg_single" solve "$work/symmetric.mtx" --method=cg_single
compare "cg in the order of rcm" solve "$work/symmetric.mtx" --partition=rcm
compare "lsqr" solve "$work/general.mtx" --method=lsqr
compare "lsmr of a tall matrix" solve "$work/tall.mtx" --method=lsmr
compare "a product with a tall matrix" multiply "$work/tall.mtx"
gzip -k "$work/general.mtx"
if "$ranks" multiply "$work/general.mtx.gz" >/dev/null 2>&1; then # this build reads packed files
    compare "a packed file" multiply "$work/general.mtx.gz" --repeat=2
fi
compare "amg of the whole" solve "$work/symmetric.mtx" --precond=amg --whole
counts="6 7 8"
compare "bicgstab" solve "$work/general.mtx" --method=bicgstab

start 3 bench "$work/symmetric.mtx" --repeat=3 --json >"$work/bench.json"
for field in seconds_median seconds_least seconds_per_iteration ranks transport halo_bytes seconds_halo imbalance; do
    grep -q "\"$field\": " "$work/bench.json" || fail "bench does not say $field"
done
echo "bench: all figures"

if start 3 solve "$work/tall.mtx" >"$work/out.txt" 2>"$work/err.txt"; then
    fail "cg took a matrix that is not square"
fi
grep -q "cg needs a square matrix; this one is 901 x 300: for least squares use lsqr" "$work/err.txt" ||
    fail "the sentence is: $(cat "$work/err.txt")"

# A solve that does not converge gives status 1 and prints the message of furrow once.
if start 3 solve "$work/symmetric.mtx" --max-iterations=2 >"$work/out.txt" 2>"$work/err.txt"; then
    fail "a solve of 2 iterations did not fail"
fi
[ "$(grep -c '^furrow-ranks: .*: no solution after 2 iterations: .*; allow more' "$work/err.txt")" = 1 ] ||
    fail "not one sentence: $(cat "$work/err.txt")"
echo "not solved: one sentence"

"$ranks" solve "$work/symmetric.mtx" --out="$work/one.mtx" >"$work/out.txt"
start 2 solve - --out=- <"$work/symmetric.mtx" >"$work/many.mtx" 2>"$work/err.txt" ||
    fail "standard input fails: $(cat "$work/err.txt")"
cmp "$work/one.mtx" "$work/many.mtx" || fail "standard output has other bits"
echo "standard streams: the same bytes"

# A bad file gives status 1 on every rank and prints the message of furrow's reader once.
sed '5s/.*/2 two 3/' "$work/general.mtx" >"$work/bad.mtx"
if start 3 solve "$work/bad.mtx" >"$work/out.txt" 2>"$work/err.txt"; then
    fail "a bad file did not fail"
fi
[ "$(grep -c '^furrow-ranks: ' "$work/err.txt")" = 1 ] || fail "not one sentence: $(cat "$work/err.txt")"
grep -q "bad.mtx:5:3: " "$work/err.txt" || fail "the sentence is: $(cat "$work/err.txt")"
echo "a bad file: one sentence"

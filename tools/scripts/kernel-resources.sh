#!/usr/bin/env bash
# Reports registers, shared memory and spills of every CUDA kernel.
#
#   tools/scripts/kernel-resources.sh --compile NVCC ARGUMENT...   compiles and keeps ptxas's output
#   tools/scripts/kernel-resources.sh FOLDER                       prints a table of the objects in FOLDER
#
# If it is a build's CMAKE_CUDA_COMPILER_LAUNCHER, the first form writes OBJECT.ptxas beside every
# object. The second form fails if a kernel spills registers.
set -eu -o pipefail

# compile NVCC ARGUMENT...: compiles, and prints everything except ptxas's information.
compile() {
    local argument previous='' object='' status=0
    for argument; do
        [ "$previous" != -o ] || object=$argument
        previous=$argument
    done
    "$@" -Xptxas -v 2>"$object.ptxas" || status=$?
    grep -v -e '^ptxas info' -e 'bytes stack frame' "$object.ptxas" >&2 || true
    return $status
}

# rows FOLDER: prints file, architecture, registers, shared memory, spilled bytes and kernel name.
rows() {
    find "$1" -name '*.ptxas' | sort | while read -r file; do
        awk -v file="$(basename "$(dirname "$file")")/$(basename "$file" .o.ptxas)" '
            /Compiling entry function/ { split($0, part, "\047"); name = part[2]; arch = part[4] }
            /bytes stack frame/ { spill = $5 + $9 }
            /: Used [0-9]+ registers/ {
                smem = 0
                for (i = 3; i <= NF; i++) {
                    if ($i ~ /^smem/) smem = $(i - 2)
                    if ($i ~ /^registers/) registers = $(i - 1)
                }
                print file, arch, registers, smem, spill, name
            }' "$file"
    done | c++filt
}

table() {
    local found
    found=$(rows "$1")
    [ -n "$found" ] || {
        echo "there is no .ptxas file in $1" >&2
        return 1
    }
    printf '%-24s %-6s %9s %12s %6s  %s\n' file arch registers 'shared bytes' spills kernel
    awk '{
        kernel = $6
        for (i = 7; i <= NF; i++) kernel = kernel " " $i
        gsub(/\(anonymous namespace\)::/, "", kernel)
        sub(/^void /, "", kernel)
        gsub(/\([A-Za-z_0-9: ]+\)/, "", kernel)
        sub(/\(.*/, "", kernel)
        printf "%-24s %-6s %9d %12d %6d  %s\n", $1, $2, $3, $4, $5, kernel
        count++
        if ($5 > 0) spilled++
        if ($3 > most) most = $3
    } END {
        printf "%d kernels, at most %d registers, %d with spills\n", count, most, spilled
        exit spilled > 0
    }' <<<"$found"
}

if [ "${1:-}" = --compile ]; then
    shift
    compile "$@"
elif [ $# -eq 1 ] && [ -d "$1" ]; then
    table "$1"
else
    echo "usage: $0 FOLDER | --compile NVCC ARGUMENT..." >&2
    exit 2
fi

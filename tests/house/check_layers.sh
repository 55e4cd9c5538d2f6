#!/bin/sh
# Checks that the layers see no more than they may: asks the preprocessor which headers it finds with
# the include directories that a layer's target is compiled with.
#
#   check_layers.sh CC SOURCE TARGET:DIRECTORY[:DIRECTORY...] ...
set -eu

cc=$1 source=$2
shift 2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
allowed=$work/allowed forbidden=$work/forbidden seen=$work/seen

fail() {
    echo "$*"
    failed=1
}

kernel="src/kernel src/base"
matrix="src/csr src/core $kernel"

# may_see TARGET: the folders of private headers that the layer may include from; the first is the
# layer's own. Every layer sees include/ as well.
may_see() {
    case $1 in
    furrow_base) echo src/base ;;
    furrow_cpu_*) echo src/cpu src/cpu/vector src/cpu/block src/cpu/spmv src/cpu/spmm src/cpu/spgemm \
            src/cpu/stencil src/cpu/multigrid src/cpu/triangular src/cpu/neighbours src/cpu/batch "$kernel" ;;
    furrow_core) echo src/core "$kernel" ;;
    furrow_csr) echo src/csr src/core "$kernel" ;;
    furrow_algebra | furrow_spmv | furrow_spmm | furrow_spgemm | furrow_stencil | furrow_reorder)
        echo "src/${1#furrow_}" "$matrix" ;;
    furrow_neighbours) echo src/neighbours "$matrix" ;;
    furrow_graph) echo src/graph src/reorder "$matrix" ;;
    furrow_triangular) echo src/triangular src/graph "$matrix" ;;
    furrow_recognise) echo src/recognise src/spmv src/stencil "$matrix" ;;
    furrow_multigrid) echo src/multigrid src/stencil "$matrix" ;;
    furrow_solver) echo src/solver "$matrix" ;;
    furrow_method) echo src/method src/solver src/core "$kernel" ;;
    furrow_choose) echo src/choose src/solver "$matrix" ;;
    furrow_amg) echo src/amg src/method "$matrix" ;;
    furrow_batch) echo src/batch src/solver "$matrix" ;;
    furrow_precond) echo src/precond src/amg src/triangular src/graph "$matrix" ;;
    furrow_precond_factors) echo src/precond/factors src/precond src/triangular src/graph "$matrix" ;;
    furrow_precond_inverses)
        echo src/precond/inverses src/precond/factors src/precond src/triangular src/graph "$matrix"
        ;;
    furrow_precond_direct) echo src/precond/direct src/precond "$matrix" ;;
    furrow_eigs) echo src/eigs src/method src/solver src/core "$kernel" ;;
    furrow_io_common) echo io/common src/base ;;
    furrow_io_number) echo io/number ;;
    furrow_io_source) echo io/source io/common src/base ;;
    furrow_io_assemble) echo io/assemble io/common src/base ;;
    furrow_io_text | furrow_io_portable | furrow_io_avx2)
        echo io/text io/source io/assemble io/number io/common src/base
        ;;
    furrow_io_write) echo io/write io/number io/common src/base ;;
    furrow_io_binary) echo io/binary io/assemble io/common src/base ;;
    furrow_tools_shared) echo tools/shared ;;
    furrow_page) echo tools/page tools/shared ;;
    furrow_picture) echo tools/picture tools/page tools/shared ;;
    furrow_bench) (cd "$source" && echo tools/bench tools/bench/*/ tools/page tools/shared) ;;
    furrow_command) echo tools tools/operate tools/solve tools/shared tools/page tools/picture ;;
    *) echo "$1 is not in the table of $0" >&2 && exit 1 ;;
    esac
}

# The names of the headers in the folders given.
headers_in() {
    (cd "$source" && find "$@" -maxdepth 1 -name '*.h' 2>/dev/null) | sed 's|.*/||' | sort -u
}

# visible FOLDER FLAGS...: those of the headers named on standard input that a source of that folder
# can include. (Templates among them do not compile alone, which is why none is included.)
visible() (
    cd "$source/$1"
    shift
    while read -r header; do
        printf '#if __has_include("%s")\n%s\n#endif\n' "$header" "$header"
    done | "$cc" -std=c17 -E -P "$@" -xc - | grep . || true
)

check_layer() {
    target=${1%%:*}
    folders=$(may_see "$target")
    own=${folders%% *}
    flags=$(echo "${1#*:}" | tr ':' '\n' | sort -u | sed 's/^/-I/')
    # shellcheck disable=SC2086 # one word a folder
    {
        echo furrow/furrow.h
        headers_in $folders
    } >"$allowed"
    # shellcheck disable=SC2086
    headers_in $private | grep -vxFf "$allowed" >"$forbidden" || true
    if ! [ -s "$forbidden" ]; then
        fail "$target: there is nothing to check"
    fi
    # shellcheck disable=SC2086 # one word a flag
    sort "$allowed" "$forbidden" | visible "$own" $flags >"$seen"
    missing=$(grep -vxFf "$seen" "$allowed" | paste -s -d ' ')
    leaked=$(grep -xFf "$forbidden" "$seen" | paste -s -d ' ')
    [ -z "$missing" ] || fail "$target cannot include: $missing"
    [ -z "$leaked" ] || fail "$target can include what it must not know: $leaked"
    echo "$target: $(wc -l <"$allowed") headers allowed, $(wc -l <"$forbidden") not"
}

private="$(cd "$source" && echo src/*/ src/cpu/*/ src/precond/*/ io/*/ tools/*/ tools/bench/*/) tools"
for layer; do
    check_layer "$layer"
done

# may_see_cuda FOLDER: the folders of cuda that one of them may include from. All see src/base and
# src/kernel.
may_see_cuda() {
    case $1 in
    device) echo device ;;
    vector | block | csr | spgemm | spmv | spmm | neighbours) echo device "$1" ;;
    stencil) echo device vector stencil ;;
    multigrid) echo device stencil multigrid ;;
    reorder) echo device csr reorder ;;
    solver) echo device vector csr spmv solver ;;
    triangular) echo device csr triangular ;;
    amg | batch) echo device vector "$1" ;;
    algebra) echo device vector csr algebra ;;
    .) echo device vector block csr spgemm spmv spmm stencil multigrid reorder solver triangular neighbours \
            batch algebra amg ;;
    *) echo "cuda/$1 is not in the table of $0" >&2 && exit 1 ;;
    esac
}

# The compiler is not at hand everywhere: each header that a source names must lie where it may look.
check_cuda() {
    folders=$(may_see_cuda "$1")
    sed -n 's/^#include "\(.*\)"/\1/p' "$source/cuda/$1"/*.cu* | sort -u >"$seen"
    while read -r included; do
        found=
        for folder in src/base src/kernel $(echo "$folders" | sed 's|[a-z]*|cuda/&|g'); do
            [ ! -f "$source/$folder/$included" ] || found=yes
        done
        [ -n "$found" ] || fail "cuda/$1 must not know $included"
    done <"$seen"
    echo "cuda/$1: sees $folders"
}

for folder in . $(cd "$source/cuda" && find . -mindepth 1 -maxdepth 1 -type d | sed 's|./||' | sort); do
    check_cuda "$folder"
done

# What the include directories cannot forbid.
if grep -rnE '^ *# *include *["<][^">]*\.\./' "$source/src" "$source/io" "$source/tools" \
    "$source/cuda" "$source/include" --include='*.[ch]' --include='*.cu*'; then
    fail "a path with .. leads out of a layer"
fi
if grep -nE '# *include *<furrow/' "$source"/src/base/*.[ch] | grep -v '<furrow/base\.h>'; then
    fail "src/base includes a public header other than furrow/base.h"
fi
exit $failed

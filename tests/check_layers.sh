#!/bin/sh
# Checks that the layers see no more than they may: includes what a layer must not know, with the
# include directories that its target is compiled with, and expects that it does not compile.
#
#   check_layers.sh CC SOURCE TARGET:DIRECTORY[:DIRECTORY...] ...
set -eu

cc=$1 source=$2
shift 2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
allowed=$work/allowed forbidden=$work/forbidden

fail() {
    echo "$*"
    failed=1
}

# may_see TARGET: the folders of private headers that the layer may include from; the first is the
# layer's own. Every layer sees include/ as well.
may_see() {
    case $1 in
    furrow_base) echo src/base ;;
    furrow_core) echo src/core src/base src/kernel ;;
    furrow_cpu_*) echo src/cpu src/base src/kernel ;;
    furrow_reorder) echo src/reorder src/core src/base src/kernel ;;
    furrow_solver) echo src/solver src/base ;;
    furrow_io) echo io ;;
    furrow_command) echo tools ;;
    *) echo "$1 is not in the table of $0" >&2 && exit 1 ;;
    esac
}

# The names of the headers in the folders given.
headers_in() {
    (cd "$source" && find "$@" -maxdepth 1 -name '*.h' 2>/dev/null) | sed 's|.*/||' | sort -u
}

# compiles FOLDER FLAGS: the program on standard input, as if it stood in that folder.
compiles() (
    cd "$source/$1"
    shift
    "$cc" -std=c17 -fsyntax-only "$@" -xc - 2>/dev/null
)

# probe FOLDER HEADER FLAGS...: whether a source of that folder can include the header.
probe() {
    folder=$1 header=$2
    shift 2
    printf '#include "%s"\nint probe;\n' "$header" | compiles "$folder" "$@"
}

# found: a program that compiles if every header named on standard input is found. (Templates among
# them do not compile alone, which is why they are not included.)
found() {
    while read -r header; do
        printf '#if !__has_include("%s")\n#error %s\n#endif\n' "$header" "$header"
    done
    echo 'int probe;'
}

check_layer() {
    target=${1%%:*}
    folders=$(may_see "$target")
    own=${folders%% *}
    flags=$(echo "${1#*:}" | tr ':' '\n' | sort -u | sed 's/^/-I/')
    # shellcheck disable=SC2086 # one word a folder
    headers_in $folders >"$allowed"
    # shellcheck disable=SC2086
    headers_in $private | grep -vxFf "$allowed" >"$forbidden" || true
    if ! [ -s "$allowed" ] || ! [ -s "$forbidden" ]; then
        fail "$target: there is nothing to check"
    fi
    # shellcheck disable=SC2086 # one word a flag
    if ! found <"$allowed" | compiles "$own" $flags; then
        fail "$target cannot include all of: $(tr '\n' ' ' <"$allowed")"
    fi
    # shellcheck disable=SC2086
    if ! probe "$own" furrow/furrow.h $flags; then
        fail "$target cannot include furrow/furrow.h, so that its failures prove nothing"
    fi
    while read -r header; do
        # shellcheck disable=SC2086
        if probe "$own" "$header" $flags; then
            fail "$target can include $header, which it must not know"
        fi
    done <"$forbidden"
    echo "$target: $(wc -l <"$allowed") headers allowed, $(wc -l <"$forbidden") not"
}

private="$(cd "$source" && echo src/*/) io tools"
for layer; do
    check_layer "$layer"
done

# What the include directories cannot forbid.
if grep -rnE '^ *# *include *["<][^">]*\.\./' "$source/src" "$source/io" "$source/tools" \
    "$source/include" --include='*.[ch]'; then
    fail "a path with .. leads out of a layer"
fi
if grep -nE '# *include *<furrow/' "$source"/src/base/*.[ch] | grep -v '<furrow/base\.h>'; then
    fail "src/base includes a public header other than furrow/base.h"
fi
exit $failed

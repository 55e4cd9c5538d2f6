#!/bin/sh
# Installs what is missing, builds furrow and runs it on a matrix.
#
#   tools/quickstart.sh [FILE.mtx]
#
# Without FILE on a system of 10,000 equations from data/.
set -eu
# shellcheck source=tools/packages.sh
. "$(dirname "$(readlink -f "$0")")/packages.sh"

build=$root/build/quickstart
furrow=$build/tools/furrow
example=$root/data/plate.mtx

build_command() {
    say "Building in $build"
    cmake -S "$root" --preset release -B "$build" --log-level=WARNING >/dev/null ||
        fail "cmake could not configure; its messages are above"
    cmake --build "$build" --target furrow_command || fail "the build failed; see above"
}

# size_of FILE: "rows cols".
size_of() {
    "$furrow" info --json "$1" | sed -n 's/^ *"\(rows\|cols\)": \([0-9]*\),*$/\2/p' | tr '\n' ' '
}

# run_command ARGUMENT...: shows the line, then runs it.
run_command() {
    printf '\n$ furrow %s\n' "$*"
    "$furrow" "$@"
}

solve() {
    status=0
    run_command solve "$1" || status=$?
    case $status in
    0) ;;
    1)
        [ "$1" != "$example" ] || fail "the example was not solved; that is a fault of this build"
        say "Not solved: the sentence above says why. The product is right all the same."
        ;;
    *) fail "furrow solve ended with status $status" ;;
    esac
}

main() {
    file=${1:-$example}
    [ $# -le 1 ] || fail "one file at a time: tools/quickstart.sh [FILE.mtx]"
    [ -f "$file" ] || fail "there is no file '$file'; give the path of a Matrix Market file"
    # shellcheck disable=SC2086 # one word a package
    need_packages $build_packages
    build_command
    run_command info "$file" || fail "furrow cannot read '$file'; the sentence above says where"
    run_command multiply "$file" || fail "the product failed; the sentence above says why"
    # shellcheck disable=SC2046 # two words
    set -- $(size_of "$file")
    if [ "$1" = "$2" ]; then
        solve "$file"
    else
        say "Not square: $1 x $2, so there is nothing to solve"
    fi
}

main "$@"

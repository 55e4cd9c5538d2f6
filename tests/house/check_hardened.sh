#!/bin/sh
# Checks with readelf how libraries and programs were hardened (cmake/hardening.cmake). Shared ones
# are relocated at the start and read-only afterwards, and their stack is not executable. A program
# is loaded at any address. All have canaries. If compiled with optimisation, they call the
# functions of the C library that check sizes.
#
#   check_hardened.sh READELF optimised|plain FILE...
set -eu

readelf=$1 build=$2
shift 2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# needs FILE PATTERN WHAT: fails unless the output of readelf about the file has the pattern.
needs() {
    if ! grep -qE "$2" "$work/said"; then
        echo "$1: $3"
        failed=1
    fi
}

for file; do
    "$readelf" --wide --symbols "$file" >"$work/said"
    needs "$file" '__stack_chk_fail' "no stack protector"
    [ "$build" = plain ] || needs "$file" '__[a-z]+_chk\b' "no call checks sizes"
    case $file in *.a) continue ;; esac
    "$readelf" --wide --file-header --program-headers --dynamic "$file" >"$work/said"
    needs "$file" 'GNU_RELRO' "relocations stay writable"
    needs "$file" 'FLAGS_1.*NOW|\(BIND_NOW\)' "functions are bound late"
    needs "$file" 'GNU_STACK.* RW ' "the stack can be executed"
    needs "$file" 'Type: +DYN' "lies at a fixed address"
done
echo "$# files are looked at"
exit $failed

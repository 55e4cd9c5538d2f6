#!/bin/sh
# Checks with nm that the libraries define only global names of furrow. The shared library exports
# every function that the public headers declare. The library calls the system about files only
# through the table of src/base/system.h.
#
#   check_symbols.sh NM INCLUDE SHARED STATIC MMIO
set -eu

nm=$1 include=$2 shared=$3 static=$4 mmio=$5
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# defined NM-OPTION LIBRARY: prints the global names that the library defines. nm prints the type of a
# name in the last column but one.
defined() {
    "$nm" "$1" --extern-only --defined-only "$2" |
        awk 'NF >= 2 && $(NF - 1) ~ /^[A-Za-z]$/ { print $NF }'
}

# strong LIBRARY: prints the names that would clash with another definition. C++ defines the
# instances of a library's templates weakly, in every object that uses them.
strong() {
    "$nm" --extern-only --defined-only "$1" |
        awk 'NF >= 2 && $(NF - 1) ~ /^[A-TX-Z]$/ { print $NF }'
}

# only PATTERN NM-OPTION LIBRARY: fails for other names, and for a library without any.
only() {
    if [ "$2" = --strong ]; then
        names=$(strong "$3")
    else
        names=$(defined "$2" "$3")
    fi
    if [ -z "$names" ]; then
        echo "$3 defines no global name at all"
        failed=1
    fi
    if foreign=$(printf '%s\n' "$names" | grep -Ev "$1"); then
        printf '%s defines global names without the prefix:\n%s\n' "$3" "$foreign"
        failed=1
    fi
}

only '^fur_' --dynamic "$shared"
# nvcc makes the names of unnamed namespaces global, each with a hash of its file.
only '^fur_|_GLOBAL__N_' --strong "$static"
only '^(mm|fur)_' --extern-only "$mmio"

defined --dynamic "$shared" | sort -u >"$work/exported"
sh "$(dirname "$0")/declared.sh" "$include" >"$work/declared"
if difference=$(diff "$work/declared" "$work/exported"); then
    echo "$(wc -l <"$work/declared") functions are declared and exported"
else
    printf 'declared (<) but not exported, or exported (>) but not declared:\n%s\n' "$difference"
    failed=1
fi

# Calls that only the source of the table may make, including the variants that compilers make of
# them.
calls='open creat close read write dup dup2 dup3 fcntl stat lstat fstat statx access readlink lseek
    fsync fdatasync truncate ftruncate chmod fchmod chown fchown link rename unlink remove mmap munmap
    mkstemp realpath fopen freopen fclose fread fwrite'
# shellcheck disable=SC2086 # one word a call
pattern=$(printf '%s|' $calls | sed 's/|$//')
if around=$("$nm" -A --undefined-only "$static" |
    grep -v ':system\.c\.o:' |
    grep -E " U _*(x|p|f)?($pattern)(at|v|64|at64|_chk|_2|64_2)*(@.*)?\$"); then
    printf 'the system is called around the table of src/base/system.h:\n%s\n' "$around"
    failed=1
fi
exit $failed

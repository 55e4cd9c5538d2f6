#!/bin/sh
# Lists the functions that the public headers declare.
#
#   declared.sh INCLUDE
set -eu

cat "$1"/furrow/*.h | tr '\n' ' ' |
    grep -oE 'FUR_API [^;]*;' | grep -oE 'fur_[a-z0-9_]+\(' | tr -d '(' | sort -u

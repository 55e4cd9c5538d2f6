#!/bin/sh
# Lists the functions that the public headers declare.
#
#   declared.sh INCLUDE
set -eu

find "$1"/furrow -name '*.h' -exec cat {} + | tr '\n' ' ' |
    grep -oE 'FUR_API [^;]*;' | grep -oE 'fur_[a-z0-9_]+\(' | tr -d '(' | sort -u

#!/bin/sh
# Checks that furrow.hpp calls every function of the public headers that can fail or that destroys
# something. The others, which only tell something, take the owners as they are.
#
#   check_owners.sh SOURCE
set -eu

# fur_csr_check: the constructor of furrow::csr checks the arrays. fur_context_allocate: in C++, objects own memory.
exceptions='fur_csr_check|fur_context_allocate'

cd "$1"
functions=$(cat include/furrow/*.h include/furrow/author/*.h | tr '\n' ' ' |
    grep -oE 'FUR_API (fur_status fur_[a-z0-9_]+|void fur_[a-z0-9_]+_destroy)\(' |
    grep -oE 'fur_[a-z0-9_]+\(' | tr -d '(' | sort -u | grep -vxE "$exceptions")
failed=0
for function in $functions; do
    grep -qE "(^|[^a-z0-9_])$function([^a-z0-9_]|$)" include/furrow/furrow.hpp || {
        echo "include/furrow/furrow.hpp does not call $function: wrap it, or say here why not"
        failed=1
    }
done
echo "$(echo "$functions" | wc -l) functions"
exit $failed

#!/bin/sh
# Checks the promises of docs/contract.md about the tests. test_null.c calls every function of the
# public headers. test_options.c has every struct that begins with its size. Each line of the page
# names a test that exists, as file: name.
#
#   check_contract.sh SOURCE
set -eu

cd "$1"
failed=0

fail() {
    echo "$*"
    failed=1
}

functions=$(sh tests/house/declared.sh include)
for function in $functions; do
    grep -qE "(^|[^a-z0-9_])$function\(" tests/contract/test_null.c ||
        fail "tests/contract/test_null.c does not call $function: say there what it makes of NULL"
done

structs=$(grep -ohE 'size_t size; +/\* sizeof\(fur_[a-z_]+\)' include/furrow/*.h include/furrow/author/*.h |
    grep -oE 'fur_[a-z_]+')
for struct in $structs; do
    grep -qE "KIND(_FILLED)?\($struct," tests/contract/test_options.c ||
        fail "tests/contract/test_options.c lacks $struct: add a call that takes it"
done

# Every line of a table except its head names tests in its last column, as `file`: `name`, `name`.
# shellcheck disable=SC2016 # the backticks are the page's
named='`[A-Za-z_./]+`: `[a-z0-9_]+`(, `[a-z0-9_]+`)*'
promises=$(grep '^| ' docs/contract.md | grep -vE '^\| what ')
silent=$(printf '%s\n' "$promises" | grep -vE "$named" || true)
[ -z "$silent" ] || fail "no test is named: $silent"
missing=$(printf '%s\n' "$promises" | grep -oE "$named" | tr -d '`,:' | while read -r file names; do
    for name in $names; do
        grep -qE "(START_TEST\(|add_test\(NAME |def |^job_)$name\b" "$file" ||
            echo "$file has no test $name"
    done
done)
[ -z "$missing" ] || fail "$missing"

echo "$(echo "$functions" | wc -l) functions, $(echo "$structs" | wc -l) structs," \
    "$(echo "$promises" | wc -l) promises"
exit $failed

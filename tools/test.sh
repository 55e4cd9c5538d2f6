#!/bin/sh
# Installs missing packages, builds furrow with its tests and runs them.
#
#   tools/test.sh [CTEST-ARGUMENT...]      for example: tools/test.sh -R csr
set -eu
# shellcheck source=tools/packages.sh
. "$(dirname "$(readlink -f "$0")")/packages.sh"

build=$root/build/test
test_packages="g++ check liblpsolve55-dev python3 python3-scipy gzip zstd"

# shellcheck disable=SC2086 # one word a package
need_packages $build_packages $test_packages
say "Building in $build"
cmake -S "$root" --preset cpu -B "$build" --log-level=WARNING >/dev/null ||
    fail "cmake could not configure; its messages are above"
cmake --build "$build" || fail "the build failed; see above"
say "Running the tests"
exec ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@"

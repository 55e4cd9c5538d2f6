#!/bin/sh
# Builds and runs the programs of the folder ranks against an installed furrow, through CMake and
# pkg-config. The program for PETSc is built only if furrow was installed with PETSc.
#
#   tests/consumer/run_ranks.sh PREFIX WORK
set -eu

prefix=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)/ranks
cc=${CC:-cc}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
petsc=OFF
names=ranks
if [ -f "$prefix/include/furrow/petsc.h" ]; then
    petsc=ON
    names="ranks petsc"
fi

for shared in OFF ON; do
    echo "-- find_package, COMPONENTS $names, BUILD_SHARED_LIBS=$shared"
    if ! { cmake -S "$here" -B "$work/shared-$shared" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc" -DBUILD_SHARED_LIBS=$shared -DWITH_PETSC=$petsc &&
        cmake --build "$work/shared-$shared" &&
        ctest --test-dir "$work/shared-$shared" --output-on-failure --no-tests=error; } \
        >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
done

pc=$(dirname "$(find "$prefix" -name furrow-ranks.pc)")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
for name in $names; do
    echo "-- pkg-config furrow-$name"
    # shellcheck disable=SC2046 # words on purpose
    "$cc" -std=c11 "$here/$name.c" -o "$work/$name" $(pkg-config --cflags --libs "furrow-$name")
    LD_LIBRARY_PATH=$(dirname "$pc") "$work/$name"
done
echo "-- all consumers of ranks work"

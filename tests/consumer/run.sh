#!/bin/sh
# Builds and runs the programs of this folder and of docs/examples against an installed furrow. They
# find it in every way: through CMake and pkg-config, static and shared.
#
#   tests/consumer/run.sh PREFIX WORK [PAGE...]
#
# PREFIX is the folder where furrow was installed, WORK a folder to build in. Checks that the examples
# of the pages print the output that the pages show.
set -eu

prefix=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
cxx=${CXX:-c++}
strict="-Wall -Wextra -Wpedantic -Werror"

say() {
    printf -- '-- %s\n' "$*"
}

# build_and_test SOURCE BUILD CMAKE-ARGUMENT...
build_and_test() (
    source=$1 build=$2
    shift 2
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" "$@" &&
        cmake --build "$build" &&
        ctest --test-dir "$build" --output-on-failure --no-tests=error
)

# with_cmake FORM BUILD_SHARED_LIBS: FORM is static or shared; an empty second argument leaves the
# choice to furrow, which was built static.
with_cmake() {
    say "find_package, ${2:+BUILD_SHARED_LIBS=$2, }$1"
    if ! build_and_test "$here" "$work/$1-$2" -DEXPECTED_FORM="furrow::furrow_$1" \
        ${2:+-DBUILD_SHARED_LIBS="$2"} >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    # Only the programs that were built with the shared library need libfurrow.so.
    if readelf -d "$work/$1-$2/solve_c" | grep -q 'NEEDED.*\[libfurrow\.so\.0\.2\]'; then
        [ "$1" = shared ]
    else
        [ "$1" = static ]
    fi
}

examples() {
    say "docs/examples"
    if ! build_and_test "$here/../../docs/examples" "$work/examples" >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
}

# Makes a folder with only the static libraries, like a system without the shared library.
static_only() {
    rm -rf "$work/static-prefix"
    cp -R "$prefix" "$work/static-prefix"
    find "$work/static-prefix" -name 'libfurrow.so*' -delete
}

pc_path() {
    dirname "$(find "$1" -name furrow.pc)"
}

# with_pkg_config NAME PACKAGE SOURCE [ARGUMENT...]: the arguments go to pkg-config.
with_pkg_config() {
    name=$1 package=$2 source=$3
    shift 3
    say "pkg-config $* $package, $(basename "$source")"
    # shellcheck disable=SC2046,SC2086 # words on purpose
    "$cc" -std=c11 $strict "$source" -o "$work/$name" \
        $(pkg-config "$@" --cflags --libs "$package") &&
        LD_LIBRARY_PATH=$libdir "$work/$name"
}

# Every public header compiles alone and as the first one, as C11 and as C++17. The C++ header
# compiles as C++17 and as C++20, which has std::span. The header for PETSc is left out, because it
# needs PETSc's headers.
headers() {
    say "each header alone"
    find "$prefix/include" -name '*.h' ! -name petsc.h | while read -r header; do
        # shellcheck disable=SC2086
        printf '#include "%s"\n' "$header" |
            "$cc" -std=c11 $strict -I"$prefix/include" -fsyntax-only -xc -
        # shellcheck disable=SC2086
        printf '#include "%s"\n' "$header" |
            "$cxx" -std=c++17 $strict -I"$prefix/include" -fsyntax-only -xc++ -
    done
    for standard in c++17 c++20; do
        # shellcheck disable=SC2086
        printf '#include <furrow/furrow.hpp>\n' |
            "$cxx" -std=$standard $strict -Wshadow -I"$prefix/include" -fsyntax-only -xc++ -
    done
}

say "what is installed is hardened"
sh "$here/../house/check_hardened.sh" readelf optimised "$prefix/bin/furrow" \
    "$(find "$prefix" -name libfurrow.a)" "$(find -L "$prefix" -name libfurrow.so)"
say "the installed command: $("$prefix/bin/furrow" --version)"
with_cmake static ""
with_cmake static OFF
with_cmake shared ON
examples

headers
libdir=$(dirname "$(pc_path "$prefix")")
PKG_CONFIG_PATH=$(pc_path "$prefix")
export PKG_CONFIG_PATH
with_pkg_config shared furrow "$here/solve.c"
with_pkg_config shared-all furrow "$here/solve.c" --static
with_pkg_config mmio furrow-mmio "$here/mmio.c"
if [ $# -gt 0 ]; then
    say "the examples of pages"
    LD_LIBRARY_PATH=$libdir PATH=$prefix/bin:$PATH python3 "$here/follow.py" "$here/../.." "$work/pages" "$@"
fi

static_only
PKG_CONFIG_PATH=$(pc_path "$work/static-prefix")
with_pkg_config static furrow "$here/solve.c" --static
"$here/run_ranks.sh" "$prefix" "$work/ranks"
say "all consumers work"

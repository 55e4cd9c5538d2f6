#!/bin/sh
# Installs missing packages, builds furrow and runs it on a matrix.
#
#   tools/quickstart.sh [--cuda] [FILE.mtx]
#
# If FILE is not given, it solves a system of 10,000 equations from data/. With --cuda it also builds
# for NVIDIA GPUs, and runs on one if there is one. nvcc is looked for in CUDACXX, the PATH, CUDA_HOME
# and /usr/local/cuda. If it is missing, pip fetches a toolkit into build/cuda-toolkit.
set -eu
# shellcheck source=tools/packages.sh
. "$(dirname "$(readlink -f "$0")")/packages.sh"
# shellcheck source=tools/scripts/cuda-toolkit.sh
. "$root/tools/scripts/cuda-toolkit.sh"

build=$root/build/quickstart
device=cpu
example=$root/data/plate.mtx

# build_command CMAKE-OPTION...
build_command() {
    say "Building in $build"
    cmake -S "$root" --preset release -B "$build" --log-level=WARNING "$@" >/dev/null ||
        fail "cmake could not configure; its messages are above"
    cmake --build "$build" || fail "the build failed; see above"
    furrow=$build/tools/furrow
}

# Builds for the GPU of this machine, which is faster, or for the usual GPUs if there is none.
build_for_cuda() {
    build=$root/build/quickstart-cuda
    need_nvcc
    say "Compiling for GPUs with $CUDACXX; this takes some minutes"
    if nvidia-smi -L >/dev/null 2>&1; then
        build_command -DFURROW_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native
    else
        build_command -DFURROW_CUDA=ON
    fi
}

choose_device() {
    if sentence=$("$furrow" kernels --device cuda 2>&1 >/dev/null); then
        device=cuda
    else
        say "On the CPU, because there is no GPU to use: $sentence"
    fi
}

# size_of FILE: prints "rows cols".
size_of() {
    "$furrow" info --json "$1" | sed -n 's/^ *"\(rows\|cols\)": \([0-9]*\),*$/\2/p' | tr '\n' ' '
}

# run_command ARGUMENT...: shows the command line, then runs it on the device.
run_command() {
    [ $device = cpu ] || set -- "$@" --device $device
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
    cuda=
    if [ "${1:-}" = --cuda ]; then
        cuda=yes
        shift
    fi
    file=${1:-$example}
    [ $# -le 1 ] || fail "one file at a time: tools/quickstart.sh [--cuda] [FILE.mtx]"
    [ -f "$file" ] || fail "there is no file '$file'; give the path of a Matrix Market file"
    # shellcheck disable=SC2086 # one word a package
    need_packages $build_packages ${cuda:+g++}
    if [ -n "$cuda" ]; then
        build_for_cuda
        choose_device
    else
        build_command -DFURROW_CUDA=OFF
    fi
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

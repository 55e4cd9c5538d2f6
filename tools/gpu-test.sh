#!/usr/bin/env bash
# Builds furrow on a machine with an NVIDIA GPU, tests it there and measures it.
#
#   tools/gpu-test.sh [--out DIR] [STEP...]     runs all steps, or only the named ones, in this order:
#
#   build      the preset cuda, for this GPU; prints registers and shared memory of each kernel, and
#              fails if one spills registers
#   tests      the tests that need a GPU, one after the other, then all others
#   sanitize   compute-sanitizer's memcheck, racecheck and initcheck on small cases of the GPU tests
#   spmv       furrow bench spmv on generated matrices, beside cuSPARSE
#   matrices   furrow bench spmv on real matrices with over 100,000 entries. They are the .mtx, .mtx.gz
#              and .mtx.zst files in the folder FURROW_MATRICES, by default ../shared/matrices/dev
#   reduce     furrow bench reduce, beside cuBLAS
#   ladder     furrow bench ladder, beside CUB
#   dense      furrow bench dense, beside cuBLAS
#   sddmm      furrow bench sddmm, beside cuSPARSE
#   transfer   furrow bench transfer, beside cudaMemcpy
#   stencil    furrow bench stencil, beside the matrix and cuSPARSE, and repeated sweeps
#   solve      furrow bench solve, beside a loop over cuSPARSE and cuBLAS
#   multigrid  furrow bench multigrid
#   recognise  furrow bench recognise
#   bench      all steps from spmv on
#
# DIR defaults to build/gpu-results. It gets results.json and table.md, which is also printed.
# results.json has the date, GPU, driver, toolkit and commit (FURROW_COMMIT if git does not know it).
# Later steps with the same DIR are added. Every step runs even if an earlier one failed. If
# FURROW_NO_INSTALL is set, nothing is installed. This is for machines without a network, or with
# packages that dpkg does not know.
set -eu -o pipefail
exec </dev/null

# shellcheck source=tools/packages.sh
. "$(dirname "$(readlink -f "$0")")/packages.sh"
cd "$root"
# shellcheck source=tools/scripts/cuda-toolkit.sh
. tools/scripts/cuda-toolkit.sh

benches=(spmv matrices reduce ladder dense sddmm transfer stencil solve multigrid recognise)
steps=(build tests sanitize "${benches[@]}")
build=$root/build/cuda
furrow=$build/tools/furrow
out=$root/build/gpu-results

# results COMMAND [ARGUMENT...]: calls gpu_results.py.
results() {
    python3 tools/scripts/gpu_results.py "$out/results.json" "$@"
}

# describe: prints KEY=VALUE lines about this run.
describe() {
    echo "date=$(date -u +%Y-%m-%d)"
    nvidia-smi --id=0 --query-gpu=name,driver_version,memory.total --format=csv,noheader |
        awk -F ', ' '{ print "gpu=" $1 "\ndriver=" $2 "\nmemory=" $3 }'
    echo "toolkit=$("$CUDACXX" --version | sed -n 's/.*release [^,]*, V//p')"
    echo "commit=${FURROW_COMMIT:-$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)}"
    echo "processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
}

step_build() {
    local cusparse=ON
    find -L "$(dirname "$CUDACXX")/.." -name cusparse.h | grep -q . || cusparse=OFF
    [ $cusparse = ON ] || say "No cusparse.h beside $CUDACXX: its kernels are left out"
    cmake --preset cuda -B "$build" --log-level=WARNING -DCMAKE_CUDA_ARCHITECTURES=native \
        -DFURROW_WITH_CUSPARSE=$cusparse \
        -DCMAKE_CUDA_COMPILER_LAUNCHER="$root/tools/scripts/kernel-resources.sh;--compile" >/dev/null
    cmake --build "$build"
    tools/scripts/kernel-resources.sh "$build/cuda"
}

step_tests() {
    local status=0
    ctest --test-dir "$build" --output-on-failure --no-tests=error -L gpu || status=1
    ctest --test-dir "$build" --output-on-failure -LE gpu -j "$(nproc)" || status=1
    return $status
}

# Small cases of every test with the label gpu. Tests whose name ends in _large are left out. The test
# cuda_X is the program test_cuda_X, or test_X on the GPU.
step_sanitize() {
    local tool name names program device status=0
    mapfile -t names < <(ctest --test-dir "$build" -N -L gpu | sed -n 's/^ *Test *#[0-9]*: //p')
    for tool in memcheck racecheck initcheck; do
        for name in "${names[@]}"; do
            program=$build/tests/test_$name device=cpu
            [ -x "$program" ] || program=$build/tests/test_${name#cuda_} device=cuda
            [[ -x $program && $name != *_large ]] || continue
            say "$tool $name"
            FURROW_TEST_DEVICE=$device CK_FORK=no FURROW_TEST_SMALL=1 timeout 600 \
                compute-sanitizer --tool $tool --error-exitcode 99 "$program" || status=1
        done
    done
    return $status
}

# bench KEY SUITE [CASE...]: prints the table and keeps the JSON under the key.
bench() {
    local key=$1 status=0
    shift
    rm -f "$build/bench.json"
    "$furrow" bench "$@" --device cuda --json-file "$build/bench.json" || status=1
    [ ! -f "$build/bench.json" ] || results add "$key" "$build/bench.json"
    return $status
}

step_spmv() { bench spmv spmv; }
step_reduce() { bench reduce reduce; }
step_ladder() { bench ladder ladder; }
step_dense() { bench dense dense; }
step_sddmm() { bench sddmm sddmm; }
step_transfer() { bench transfer transfer; }
step_stencil() { bench stencil stencil --sweeps 12; }
step_solve() { bench solve solve; }
step_multigrid() { bench multigrid multigrid; }
step_recognise() { bench recognise recognise; }

step_matrices() {
    local folder=${FURROW_MATRICES:-$root/../shared/matrices/dev} chosen
    tests/peers/unpack_matrices.sh "$folder" "$build/matrices" || return 0
    mapfile -t chosen < <(python3 tools/scripts/gpu_results.py --large "$furrow" "$build/matrices" "$folder")
    [ ${#chosen[@]} -gt 0 ] || fail "there is no real matrix with over 100,000 entries in $folder"
    bench matrices spmv "${chosen[@]}"
}

# run_step NAME: runs a step and keeps its status.
run_step() {
    local status
    printf '\n=== [%4d s] %s\n' $SECONDS "$1"
    set +e
    (
        set -e
        "step_$1"
    )
    status=$?
    set -e
    results step "$1" $status
    if [ $status -ne 0 ]; then
        failed+=("$1")
        echo "!!! $1 failed"
    fi
}

if [ "${1:-}" = --out ]; then
    [ $# -ge 2 ] || fail "--out needs a folder"
    mkdir -p "$2"
    out=$(cd "$2" && pwd)
    shift 2
fi
chosen=()
for step; do
    if [ "$step" = bench ]; then
        chosen+=("${benches[@]}")
    elif [[ " ${steps[*]} " == *" $step "* ]]; then
        chosen+=("$step")
    else
        fail "there is no step $step; there are: ${steps[*]} bench"
    fi
done
[ $# -gt 0 ] || chosen=("${steps[@]}")

# shellcheck disable=SC2086,SC2154 # one word a package; build_packages comes from packages.sh
need_packages $build_packages g++ check python3 gzip zstd
need_nvcc
nvidia-smi -L || fail "there is no GPU here: nvidia-smi fails; .ci/run cuda builds without one"
mkdir -p "$out"
describe | results machine
failed=()
for step in "${chosen[@]}"; do
    run_step "$step"
done
printf '\n=== [%4d s] %s\n' $SECONDS "${failed[*]:+failed: ${failed[*]}}"
results table | tee "$out/table.md"
[ ${#failed[@]} -eq 0 ]

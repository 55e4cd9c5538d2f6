# shellcheck shell=sh
# Finds nvcc, and fetches a CUDA Toolkit into the checkout if there is none. Source it after
# packages.sh.

# shellcheck disable=SC2154 # root comes from packages.sh
cuda_toolkit=$root/build/cuda-toolkit

# The wheels that compile and link CUDA code. All have the same major version.
cuda_wheels="nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl"
cuda_major=13

# find_nvcc: prints the path of nvcc. It looks in CUDACXX, the PATH, CUDA_HOME (by default
# /usr/local/cuda) and the fetched toolkit. Prints nothing if it finds none.
find_nvcc() {
    for nvcc in "${CUDACXX:-}" "$(command -v nvcc)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" \
        "$cuda_toolkit"/lib/python3*/site-packages/nvidia/cu"$cuda_major"/bin/nvcc; do
        if [ -x "$nvcc" ]; then
            echo "$nvcc"
            return
        fi
    done
}

# install_wheels WHEEL...: installs wheels into the toolkit's folder.
install_wheels() {
    python3 -m venv "$cuda_toolkit" || fail "python3 could not make a virtual environment"
    for wheel; do
        echo "$wheel==$cuda_major.*"
    done >"$cuda_toolkit/wheels.txt"
    "$cuda_toolkit/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r "$cuda_toolkit/wheels.txt" ||
        fail "pip could not fetch the CUDA Toolkit; its messages above say why (is the network up?)"
}

# link_libraries: adds lib64 and names without a version, because CMake looks for these.
link_libraries() {
    for toolkit in "$cuda_toolkit"/lib/python3*/site-packages/nvidia/cu"$cuda_major"; do
        ln -sfn lib "$toolkit/lib64"
        for library in "$toolkit"/lib/*.so.*; do
            ln -sf "$(basename "$library")" "${library%%.so.*}.so"
        done
    done
}

# need_nvcc: exports CUDACXX, and fetches a toolkit if there is no nvcc.
need_nvcc() {
    if [ -z "$(find_nvcc)" ]; then
        need_packages python3 python3-venv
        say "Fetching a CUDA Toolkit (400 MB) into $cuda_toolkit"
        # shellcheck disable=SC2086 # one word a wheel
        install_wheels $cuda_wheels
        link_libraries
    fi
    CUDACXX=$(find_nvcc)
    export CUDACXX
    [ -n "$CUDACXX" ] || fail "there is no nvcc in $cuda_toolkit"
}

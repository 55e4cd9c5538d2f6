#!/usr/bin/env python3
"""Compares the command furrow with plain Python on a folder of real matrices.

    test_matrices.py COMMAND FOLDER

FOLDER has Matrix Market files, and may have more in a folder "malformed". Exit status 77, skipped,
if the folder is missing.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import matrix_market  # in this folder; Python must leave no cache here

SKIPPED = 77
# Larger matrices are multiplied but not compared, because plain Python takes about 10 us for an entry or row.
COMPARED_BYTES = 400_000
COMPARED_ROWS = 100_000
SOLVED_ENTRIES = 300_000
MAX_ITERATIONS = 2000
RTOL = 1e-8
# How matrices that are stencils are recognised.
STENCILS = {
    "3pt_100.mtx": "3 points with constant coefficients on a grid of 100; 0 rows differ",
    "5pt_10x10.mtx": "5 points with constant coefficients on a grid of 10 x 10; 0 rows differ",
    "7pt_10x10x10.mtx": "7 points with constant coefficients on a grid of 10 x 10 x 10; 0 rows differ",
    "9pt_10x10.mtx": "9 points with constant coefficients on a grid of 10 x 10; 0 rows differ",
    "FDM-2d-16.mtx": "5 points with constant coefficients on a grid of 16 x 16; 0 rows differ",
    "Laplace3D10.mtx": "7 points with constant coefficients on a grid of 10 x 10 x 10; 0 rows differ",
    "cryg2500.mtx": "5 points with variable coefficients on a grid of 50 x 50; 150 rows differ",
    "gr_900_900_crg.mtx": "9 points with constant coefficients on a grid of 30 x 30; 0 rows differ",
    "lap2D_5pt_n32.mtx": "3 points with constant coefficients on a grid of 32 x 32; 0 rows differ",
    "lap3d_20.mtx": "7 points with constant coefficients on a grid of 20 x 20 x 20; 0 rows differ",
    "lap3d_40.mtx": "7 points with constant coefficients on a grid of 40 x 40 x 40; 0 rows differ",
    "nos7.mtx": "7 points with variable coefficients on a grid of 9 x 9 x 9; 0 rows differ",
    "watt_2.mtx": "7 points with variable coefficients on a grid of 8 x 8 x 29; 128 rows differ",
}


class Wrong(Exception):
    """The command printed or did something wrong."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def run(command, *arguments):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True,
                          errors="replace", check=False, timeout=300)


def report_of(done):
    """Returns the JSON of a run. The run may fail only with one message."""
    expect(done.returncode in (0, 1), f"exit status {done.returncode}: {done.stderr}")
    if done.returncode == 1:
        lines = done.stderr.splitlines()
        expect(len(lines) == 1 and lines[0].startswith("furrow: "), f"said {done.stderr!r}")
    return json.loads(done.stdout) if done.stdout else None


def check_vector(found, expected, bound):
    expect(len(found) == len(expected), f"y has {len(found)} entries, not {len(expected)}")
    for i, (left, right, error) in enumerate(zip(found, expected, bound)):
        same = left == right or (left != left and right != right)
        expect(same or abs(left - right) <= error, f"y[{i}] = {left}, not {right} +- {error}")


def check_norms(report, y):
    sizes = [abs(value) for value in y]
    if not all(math.isfinite(size) for size in sizes):
        return
    expected = {"y_norm_1": math.fsum(sizes), "y_norm_2": math.hypot(*sizes),
                "y_norm_max": max(sizes, default=0.0)}
    for key, right in expected.items():
        expect(abs(report[key] - right) <= 1e-13 * right, f"{key} = {report[key]}, not {right}")


def check_product(command, path, a, folder, options):
    op = a.transposed() if options else a
    x = [(37 * i % 101 - 50) / 16 for i in range(op.cols)]
    matrix_market.write_column(folder / "x.mtx", x)
    done = run(command, "multiply", path, "--x", folder / "x.mtx", "--out", folder / "y.mtx",
               "--repeat", 20, "--json", *options)
    report = report_of(done)
    expect(report, f"no product: {done.stderr}")
    y = matrix_market.read_column((folder / "y.mtx").read_text())
    check_vector(y, *op.multiply(x))
    check_norms(report, y)


def check_stencil(command, path, folder):
    """Checks that a matrix recognised as a stencil gives the bits of the reference."""
    found = {}
    for kernel in ("stencil", "reference"):
        done = run(command, "multiply", path, "--kernel", kernel, "--x", folder / "x.mtx", "--out",
                   folder / f"{kernel}.mtx", "--repeat", 1, "--quiet", "--json")
        found[kernel] = report_of(done)
        if found[kernel] is None:
            expect(kernel == "stencil" and path.name not in STENCILS, done.stderr)
            expect("needs the matrix of a stencil: " in done.stderr, done.stderr)
            return
    expect(STENCILS.get(path.name, "") in found["stencil"]["recognition"],
           found["stencil"]["recognition"])
    expect((folder / "stencil.mtx").read_bytes() == (folder / "reference.mtx").read_bytes(),
           "the stencil's product is another")


def check_residual(report, a, x):
    """Checks that the reported residual is that of x, up to the rounding of A x."""
    b, b_error = a.multiply([1.0] * a.cols)
    ax, ax_error = a.multiply(x)
    size = math.hypot(*map(abs, b)) or 1.0
    error = (math.hypot(*b_error) + math.hypot(*ax_error)) / size
    residual = math.hypot(*(abs(right - left) for left, right in zip(ax, b))) / size
    expect(abs(residual - report["residual"]) <= 1e-6 * residual + error,
           f"says residual {report['residual']}, but it is {residual} +- {error}")
    if report["converged"]:
        expect(residual <= 100 * RTOL, f"says converged, but the residual is {residual}")


def check_solve(command, path, a, folder):
    """Checks that the report of a solve with a symmetric matrix agrees with the written x."""
    out = folder / "solution.mtx"
    done = run(command, "solve", path, "--json", "--rtol", RTOL, "--max-iterations",
               MAX_ITERATIONS, "--out", out)
    report = report_of(done)
    if report is None:
        return "refused: " + done.stderr.strip()
    expect(report["converged"] == (done.returncode == 0), "exit status against converged")
    if math.isfinite(float(report["residual"])):
        check_residual(report, a, matrix_market.read_column(out.read_text()))
    return f"{report['outcome']} after {report['iterations']}"


def is_solvable(a):
    return (a.rows == a.cols and a.symmetry in ("symmetric", "hermitian")
            and a.entries() <= SOLVED_ENTRIES)


def check_large(command, path):
    done = run(command, "multiply", path, "--json", "--repeat", 20)
    expect(done.returncode == 0, done.stderr)
    return "multiplied"


def check_matrix(command, path, folder):
    """Checks one valid file and returns a few words about the result."""
    if path.stat().st_size > COMPARED_BYTES:
        return check_large(command, path)
    try:
        a = matrix_market.read(path.read_bytes().decode("latin-1"))
    except matrix_market.Malformed as reason:
        expect(report_of(run(command, "info", path, "--json")) is None, f"took it with {reason}")
        return f"refused: {reason}"
    if a.rows + a.cols > COMPARED_ROWS:
        return check_large(command, path)
    for options in (["--transpose"], []):
        check_product(command, path, a, folder, options)
    check_stencil(command, path, folder)
    return check_solve(command, path, a, folder) if is_solvable(a) else "compared"


def check_malformed(command, path, folder):
    """Checks that a malformed file is read, or refused with a message and without an output file."""
    out = folder / "converted.mtx"
    done = run(command, "convert", path, out, "--json")
    report = report_of(done)
    expect(out.exists() == (report is not None), "an output file without success, or none with")
    return "accepted" if report else done.stderr.strip()


def check_all(check, command, paths):
    """Runs a check on each file with a fresh folder. Returns the number of files that are wrong."""
    wrong = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                verdict = check(command, path, pathlib.Path(folder))
            except (Wrong, ValueError, LookupError, subprocess.TimeoutExpired) as error:
                verdict = f"WRONG: {error}"
                wrong += 1
        print(f"{path.name}: {verdict}", flush=True)
    return wrong


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not folder.is_dir():
        print(f"{folder} is not there; skipped")
        return SKIPPED
    good = sorted(folder.glob("*.mtx"))
    malformed = sorted((folder / "malformed").glob("*.mtx"))
    wrong = check_all(check_matrix, command, good)
    wrong += check_all(check_malformed, command, malformed)
    print(f"{len(good)} matrices, {len(malformed)} malformed files, {wrong} wrong")
    return 1 if wrong or not good else 0


if __name__ == "__main__":
    sys.exit(main())

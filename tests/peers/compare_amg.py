#!/usr/bin/env python3
"""Compares the library's algebraic multigrid with PyAMG, hypre and AMGCL: seconds of set-up and
solve.

    compare_amg.py OWN [--hypre PROGRAM] [--amgcl PROGRAM] [--rounds N] [--threads N] [--processor]
                   [--generate POINTS:N]... [FILE...]

OWN is own_amg. The other programs are built from peer_hypre.c and peer_amgcl.cpp. FILE is a
symmetric positive (or negative) definite matrix in Matrix Market form. --generate makes Laplacians
of 7 or 27 points on N^3.
All programs solve A x = b for b = 1 to 1e-8 by conjugate gradients. Each program runs in a separate
process, one after the other in each round, and its second solve is reported. The default is two
threads, and two ranks for hypre. --processor uses one thread and measures processor seconds, for a
machine that others use at the same time.
The library and hypre are tried with several options, and the fastest options of each are compared.
Prints a table in Markdown: medians, and each peer's total time divided by the library's. Exit
status 77, skipped, if PyAMG is missing.
"""

import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

try:
    import numpy
    import pyamg
    import scipy.io
    import scipy.sparse
except ImportError:
    print("there is no PyAMG; skipped")
    sys.exit(77)

OWN = [("aggregation", "0", "0"), ("aggregation", "1", "0"), ("classical", "0", "0"), ("classical", "0", "1")]
HYPRE = [(coarsening, aggressive, theta) for coarsening in ("8", "10") for aggressive in ("0", "1")
         for theta in ("0.25", "0.5")]
LIMIT = 60  # seconds for one program

PYAMG = """
import os, sys, time, warnings
import numpy, pyamg, scipy.sparse
warnings.filterwarnings("ignore")
rows, entries = numpy.fromfile(sys.argv[1], "int64", 2)
at = 16
offsets = numpy.fromfile(sys.argv[1], "int64", rows + 1, offset=at)
columns = numpy.fromfile(sys.argv[1], "int32", entries, offset=at + 8 * (rows + 1))
values = numpy.fromfile(sys.argv[1], "float64", entries, offset=at + 8 * (rows + 1) + 4 * entries)
a = scipy.sparse.csr_matrix((values, columns, offsets.astype("int32")), shape=(rows, rows))
b = numpy.ones(rows)
now = time.process_time if "PROCESSOR" in os.environ else time.perf_counter
for turn in range(2):
    begin = now()
    levels = pyamg.smoothed_aggregation_solver(a)
    made = now()
    residuals = []
    x = levels.solve(b, tol=1e-8, accel="cg", maxiter=5000, residuals=residuals)
    end = now()
    print(made - begin, end - made, len(residuals) - 1, numpy.linalg.norm(b - a @ x) / numpy.linalg.norm(b))
"""


def generate(points, n):
    """Returns the negated Laplacian of 7 or 27 points on n^3 points."""
    line = scipy.sparse.diags([-numpy.ones(n - 1), 2 * numpy.ones(n), -numpy.ones(n - 1)], [-1, 0, 1])
    if points == 7:
        one = scipy.sparse.identity(n)
        return (scipy.sparse.kron(scipy.sparse.kron(line, one), one) + scipy.sparse.kron(scipy.sparse.kron(one, line), one)
                + scipy.sparse.kron(scipy.sparse.kron(one, one), line))
    band = scipy.sparse.diags([numpy.ones(n - 1), numpy.ones(n), numpy.ones(n - 1)], [-1, 0, 1])
    return 27 * scipy.sparse.identity(n**3) - scipy.sparse.kron(scipy.sparse.kron(band, band), band)


def read(path):
    if path.suffix == ".zst":
        text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
        with tempfile.NamedTemporaryFile(suffix=".mtx") as file:
            file.write(text)
            file.flush()
            return scipy.io.mmread(file.name)
    return scipy.io.mmread(path)


def write(matrix, path):
    """Writes the format of system_file.h and returns the numbers of rows and entries. Negates the
    matrix if its diagonal is negative."""
    a = scipy.sparse.csr_matrix(matrix).astype("float64")
    a.sort_indices()
    a.eliminate_zeros()
    sign = -1.0 if a.diagonal().max() < 0 else 1.0
    with open(path, "wb") as file:
        for array, kind in (([a.shape[0], a.nnz], "int64"), (a.indptr, "int64"), (a.indices, "int32"),
                            (sign * a.data, "float64")):
            file.write(numpy.asarray(array, kind).tobytes())
    return a.shape[0], a.nnz


def run(command, options):
    """Returns seconds of set-up and solve, and iterations. Seconds are infinite after a failure."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads), **({"PROCESSOR": "1"} if options.processor else {}))
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT, env=environment)
        setup, solve, iterations, residual = map(float, done.stdout.split("\n")[-2].split())
    except (subprocess.SubprocessError, ValueError, IndexError):
        return float("inf"), float("inf"), -1
    return (setup, solve, int(iterations)) if residual <= 2e-8 else (float("inf"), float("inf"), -1)


def fastest(commands, options):
    return min(commands, key=lambda command: sum(run(command, options)[:2]))


def contenders(options, system):
    """Returns the command of each program that is given, with its fastest options."""
    threads = str(options.threads)
    sides = {"furrow": fastest([[options.own, system, *way, threads] for way in OWN], options),
             "PyAMG": [sys.executable, "-c", PYAMG, system]}
    if options.hypre:
        ranks = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", threads, options.hypre, system]
        sides["hypre"] = fastest([[*ranks, *way] for way in HYPRE], options)
    if options.amgcl:
        sides["AMGCL"] = [options.amgcl, system]
    return sides


def race(name, options, system, shape):
    sides = contenders(options, system)
    runs = {side: [] for side in sides}
    for _ in range(options.rounds):
        for side, command in sides.items():
            runs[side].append(run(command, options))
    median = {side: [statistics.median(run[part] for run in found) for part in range(3)] for side, found in runs.items()}
    own = sum(median["furrow"][:2])
    cells = [name, f"{shape[0]:,}"]
    for side, (setup, solve, iterations) in median.items():
        cells.append(f"{setup:.3f} + {solve:.3f} ({iterations:.0f})" if iterations > 0 else "no")
        if side != "furrow":
            cells.append(f"{(setup + solve) / own:.2f}" if iterations > 0 and math.isfinite(own) else "")
    ways = " ".join(sides["furrow"][2:5]) + ("; hypre " + " ".join(sides["hypre"][-3:]) if "hypre" in sides else "")
    print("| " + " | ".join([*cells, ways]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("own")
    parser.add_argument("--hypre")
    parser.add_argument("--amgcl")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processor", action="store_true", help="one thread, and the seconds of its processor")
    parser.add_argument("--generate", action="append", default=[])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    options.threads = 1 if options.processor else options.threads
    sides = ["PyAMG"] + ["hypre"] * bool(options.hypre) + ["AMGCL"] * bool(options.amgcl)
    head = ["matrix", "rows", "furrow", *(cell for side in sides for cell in (side, "ratio")), "ways"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        system = folder + "/system"
        for spec in options.generate:
            points, n = map(int, spec.split(":"))
            race(f"{points} points, {n}^3", options, system, write(generate(points, n), system))
        for path in options.files:
            race(path.name.split(".")[0], options, system, write(read(path), system))
    print(f"PyAMG {pyamg.__version__}, medians of {options.rounds} rounds")


if __name__ == "__main__":
    main()

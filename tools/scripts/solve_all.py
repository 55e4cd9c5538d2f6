#!/usr/bin/env python3
"""Solves with every square matrix of a collection, by furrow solve and by SciPy; prints a table.

    solve_all.py FURROW MANIFEST [--limit S] [--rtol R] [--name NAME...] [--json FILE]

MANIFEST is a table with tabs between the columns name, rows, cols and file. The files lie in dev/
beside it. The right-hand side is A times ones, and x begins at 0.

furrow chooses its method. SciPy tries the methods of an expert until one converges. For a Hermitian
matrix these are cg and minres, for other matrices gmres(50) and bicgstab. Jacobi's preconditioner is
used if the diagonal allows it. Each side may take `limit` seconds for a matrix. SciPy's methods share
this time equally, and reading does not count for SciPy.

The residual is ||b - A x|| / ||b||, computed here by SciPy from the returned or written x. A row is
marked with "**false**" if a side reports convergence but its residual is above ten times the
tolerance. The exit status is 1 if furrow has such a row.
"""

import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy
import scipy.sparse.linalg as linalg
import systems

SLACK = 10
RESTART = 50
MAX_ITERATIONS = 50000
Outcome = collections.namedtuple("Outcome", "method outcome converged iterations residual seconds")


class OutOfTime(Exception):
    """Ends an attempt and carries its current x."""


def residual_of(a, b, x):
    """Returns ||b - A x|| / ||b||, or nan if x is not a vector of numbers."""
    with numpy.errstate(all="ignore"):
        size = numpy.linalg.norm(b)
        rest = numpy.linalg.norm(b - a @ x)
        return float(rest / size if size > 0 else rest)


def read_solution(path, size):
    try:
        x = numpy.ravel(systems.read(path))
        return x if x.size == size else None
    except (OSError, ValueError):
        return None


def by_furrow(options, path, a, b):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "x.mtx")
        command = [options.furrow, "solve", path, "--json", "--quiet", "--rtol", str(options.rtol),
                   "--out", out]
        begin = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=options.limit)
        except subprocess.TimeoutExpired:
            return Outcome("", "out of time", False, "", None, time.perf_counter() - begin), ""
        if not done.stdout.strip():
            sentence = done.stderr.strip().replace(f"{path.parent}/", "")
            return Outcome("", "refused" if done.returncode == 1 else f"status {done.returncode}",
                           False, "", None, time.perf_counter() - begin), sentence
        report = json.loads(done.stdout)
        x = read_solution(out, a.shape[1])
        residual = residual_of(a, b, x) if x is not None else None
    named = [attempt["method"] for attempt in report.get("attempts", [])] or [report["method"]]
    method = ", then ".join(named)
    if report.get("precond", "none") != "none":
        method += ", " + report["precond"]
    seconds = report.get("seconds_setup", 0) + report["seconds_solve"]
    return Outcome(method, report["outcome"], report["converged"], report["iterations"], residual,
                   seconds), ""


class Attempt:
    """Counts the iterations of a method and ends it when its time is over."""

    def __init__(self, end):
        self.end = end
        self.iterations = 0
        self.x = None

    def watch(self, x):
        self.iterations += 1
        self.x = x if numpy.ndim(x) == 1 else None
        if time.perf_counter() > self.end:
            raise OutOfTime

    def run(self, method, a, b, m, rtol):
        most = min(10 * a.shape[0] + 100, MAX_ITERATIONS)
        common = {"M": m, "callback": self.watch}
        try:
            if method == "gmres":
                x, info = linalg.gmres(a, b, rtol=rtol, atol=0, restart=RESTART,
                                       maxiter=max(1, most // RESTART), callback_type="pr_norm",
                                       **common)
            elif method == "minres":
                x, info = linalg.minres(a, b, rtol=rtol, maxiter=most, **common)
            else:
                x, info = getattr(linalg, method)(a, b, rtol=rtol, atol=0, maxiter=most, **common)
        except OutOfTime:
            return self.x, "out of time"
        return x, "converged" if info == 0 else "breakdown" if info < 0 else "max iterations"


def methods_for(a):
    """Returns the methods that an expert tries in turn, and the diagonal if it can precondition."""
    diagonal = a.diagonal()
    off = abs(a - a.conj().T)
    hermitian = off.nnz == 0 or off.max() <= 1e-14 * abs(a).max()
    usable = bool(numpy.all(diagonal != 0)) and bool(numpy.all(numpy.isfinite(1 / diagonal)))
    if not hermitian:
        return ["gmres", "bicgstab"], diagonal if usable else None
    methods = ["cg"] if numpy.iscomplexobj(a) else ["cg", "minres"]
    if usable and abs(numpy.sum(numpy.sign(diagonal.real))) == diagonal.size:
        return methods, abs(diagonal)
    return methods[-1:], abs(diagonal) if usable else None


def by_scipy(options, a, b):
    begin = time.perf_counter()
    best = None
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        methods, diagonal = methods_for(a)
        jacobi = None
        if diagonal is not None:
            inverse = 1 / diagonal
            jacobi = linalg.LinearOperator(a.shape, lambda r: inverse * r.ravel(), dtype=a.dtype)
        for number, method in enumerate(methods, 1):
            attempt = Attempt(begin + options.limit * number / len(methods))
            x, outcome = attempt.run(method, a, b, jacobi, options.rtol)
            residual = residual_of(a, b, x) if x is not None else None
            named = method + (", jacobi" if jacobi is not None else "")
            found = Outcome(named, outcome, outcome == "converged", attempt.iterations, residual,
                            time.perf_counter() - begin)
            if best is None or (residual is not None and
                                (best.residual is None or not residual >= best.residual)):
                best = found
            if found.converged and residual is not None and residual <= SLACK * options.rtol:
                return found
    return best._replace(seconds=time.perf_counter() - begin)


def is_false(options, found):
    return found.converged and not (found.residual is not None and
                                    found.residual <= SLACK * options.rtol)


def cells(options, found):
    mark = " **false**" if is_false(options, found) else ""
    residual = "" if found.residual is None else f"{found.residual:.1e}"
    return [found.method, found.outcome + mark, found.iterations, residual,
            f"{found.seconds:.3g}"]


def square(options):
    with open(options.manifest, encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["rows"] == row["cols"] and row["rows"] not in ("", "0", "1"):
                if row["kind"] != "malformed" and (not options.name or row["name"] in options.name):
                    yield row


def solve(options, row):
    """Returns both outcomes, and furrow's message if it refused."""
    path = options.manifest.parent / "dev" / row["file"]
    a = systems.matrix(path)
    b = a @ numpy.ones(a.shape[1])
    own, sentence = by_furrow(options, path, a, b)
    return a, own, by_scipy(options, a, b), sentence


def print_table(options, results):
    heads = ["matrix", "rows", "entries"]
    heads += ["method", "outcome", "iterations", "residual", "s"]
    heads += ["SciPy", "outcome", "iterations", "residual", "s"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for name, a, own, peer, _ in results:
        line = [name, a.shape[0], a.nnz, *cells(options, own), *cells(options, peer)]
        print("| " + " | ".join(map(str, line)) + " |")


def reached(options, found):
    return found.residual is not None and found.residual <= SLACK * options.rtol


def print_counts(options, results):
    own = [result[2] for result in results]
    peers = [result[3] for result in results]
    false = sum(is_false(options, found) for found in own)
    print(f"\n{len(results)} matrices. furrow says converged for "
          f"{sum(found.converged for found in own)}, {false} of them falsely; SciPy for "
          f"{sum(found.converged for found in peers)}, "
          f"{sum(is_false(options, found) for found in peers)} falsely. A residual of at most "
          f"{SLACK * options.rtol:.0e} has furrow {sum(reached(options, f) for f in own)} times, "
          f"SciPy {sum(reached(options, f) for f in peers)} times, SciPy alone "
          f"{sum(reached(options, p) and not reached(options, f) for f, p in zip(own, peers))}.")
    sentences = [f"- {result[0]}: {result[4]}" for result in results if result[4]]
    if sentences:
        print("\nRefused:\n\n" + "\n".join(sentences))
    return false


def save(path, results):
    lines = [{"name": name, "rows": a.shape[0], "entries": a.nnz, "furrow": own._asdict(),
              "scipy": peer._asdict(), "sentence": sentence}
             for name, a, own, peer, sentence in results]
    path.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("furrow")
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--rtol", type=float, default=1e-10)
    parser.add_argument("--name", nargs="*")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    results = []
    for row in square(options):
        try:
            results.append((row["name"], *solve(options, row)))
        except (ValueError, OverflowError, OSError, MemoryError,
                subprocess.CalledProcessError) as error:
            print(f"{row['name']}: SciPy cannot read it: {error}", file=sys.stderr)
            continue
        print(f"{row['name']}: {results[-1][2].outcome}; {results[-1][3].outcome}",
              file=sys.stderr, flush=True)
        if options.json:
            save(options.json, results)
    print_table(options, results)
    false = print_counts(options, results)
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())

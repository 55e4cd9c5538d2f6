#!/usr/bin/env python3
"""Solves with the square matrices of 100 to 300,000 rows of a collection, by furrow solve and SciPy.

    solve_hard.py scipy MANIFEST S.json            # properties of the matrices; gmres with spilu
    solve_hard.py furrow FURROW MANIFEST F.json    # furrow solve with the method auto
    solve_hard.py table S.json F.json              # both, side by side

MANIFEST is a table with tabs between the columns name, rows, cols, kind and file. The files lie in
dev/ beside it. The right-hand side is A times ones, as SciPy rounds it, and x begins at 0. The
tolerance is ||b - A x|| <= 1e-8 ||b||. Each side has --limit seconds for a matrix, and reading does
not count for SciPy. Residuals are computed here from A, b and x in extended precision.

A counts as singular in three cases: its structural rank is too small, splu meets a pivot of 0, or
its condition is above 1 / epsilon. The condition is estimated with the factors of splu after scaling
rows and columns. If splu takes longer than the limit or more than --memory, A counts as not
singular. A is positive definite if splu without pivoting finds positive pivots.

SciPy solves with gmres(50) and spilu with its default drop tolerance. Then it tries drop_tol 1e-6 and
fill_factor 50.
"""

import argparse
import csv
import json
import multiprocessing
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import numpy
import scipy.io
import scipy.sparse as sparse
import scipy.sparse.csgraph as csgraph
import scipy.sparse.linalg as linalg
import solve_all
import systems

ASKED = 1e-8
ROUNDING = 1 + 1e-3  # allowance for the residual that furrow computes in double precision
RESTART = 50
CYCLES = 20
EPSILON = 2.0**-52
FILLS = ({}, {"drop_tol": 1e-6, "fill_factor": 50})


def matrices(options):
    with open(options.manifest, encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["rows"] == row["cols"] and row["rows"].isdigit() and \
                    100 <= int(row["rows"]) <= 300000 and row["kind"] != "malformed":
                if not options.name or row["name"] in options.name:
                    yield row["name"], options.manifest.parent / "dev" / row["file"]


def residual_of(a, b, x):
    """Returns ||b - A x|| / ||b||, with rows added in extended precision."""
    wide = numpy.clongdouble if numpy.iscomplexobj(a) else numpy.longdouble
    rows = numpy.repeat(numpy.arange(a.shape[0]), numpy.diff(a.indptr))
    rest = b.astype(wide)
    numpy.subtract.at(rest, rows, a.data.astype(wide) * x.astype(wide)[a.indices])
    return float(numpy.sqrt(numpy.sum(abs(rest) ** 2) / numpy.sum(abs(b.astype(wide)) ** 2)))


def is_hermitian(a):
    off = abs(a - a.conj().T)
    return off.nnz == 0 or off.max() <= 1e-14 * abs(a).max()


def is_definite(a):
    """Returns whether elimination of a Hermitian matrix without pivoting finds positive pivots."""
    d = a.diagonal().real
    if not (d > 0).all():
        return False
    scale = sparse.diags(1 / numpy.sqrt(d))
    lu = linalg.splu((scale @ a @ scale).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0,
                     options={"SymmetricMode": True})
    return bool((lu.perm_r == lu.perm_c).all() and (lu.U.diagonal().real > 0).all())


def scaled(a):
    rows = sparse.diags(1 / abs(a).max(axis=1).toarray().ravel()) @ a
    return (rows @ sparse.diags(1 / abs(rows).max(axis=0).toarray().ravel())).tocsc()


def why_singular(a, definite):
    """Returns the reason as a phrase, or "" if the matrix is not singular."""
    s = scaled(a)
    try:
        lu = linalg.splu(s, permc_spec="MMD_AT_PLUS_A" if definite else "COLAMD")
    except RuntimeError:
        return "a pivot of 0"
    inverse = linalg.LinearOperator(a.shape, dtype=s.dtype,
                                    matvec=lambda b: lu.solve(b.astype(s.dtype)),
                                    rmatvec=lambda b: lu.solve(b.astype(s.dtype), "H"))
    condition = linalg.onenormest(inverse) * linalg.norm(s, 1)
    return "" if condition < 1 / EPSILON else f"condition {condition:.0e}"


def classify(path):
    a = systems.matrix(path).tocsc()
    a.eliminate_zeros()
    hermitian = is_hermitian(a)
    if csgraph.structural_rank(a) < a.shape[0]:
        return {"kind": "symmetric" if hermitian else "general", "singular": "structural rank"}
    definite = hermitian and is_definite(a)
    kind = "definite" if definite else "symmetric" if hermitian else "general"
    return {"kind": kind, "singular": why_singular(a, definite)}


def solve(path):
    a = systems.matrix(path)
    b = a @ numpy.ones(a.shape[1])
    begin = time.perf_counter()
    found = {}
    for fill in FILLS:
        try:
            ilu = linalg.spilu(a.tocsc(), **fill)
        except (RuntimeError, MemoryError) as error:
            found = {"outcome": f"spilu: {error}", "residual": None}
            continue
        m = linalg.LinearOperator(a.shape, ilu.solve, dtype=a.dtype)
        x, info = linalg.gmres(a, b, rtol=ASKED, atol=0, restart=RESTART, maxiter=CYCLES, M=m)
        found = {"outcome": "converged" if info == 0 else "iteration limit reached",
                 "residual": residual_of(a, b, x)}
        if info == 0:
            break
    return {**found, "seconds": time.perf_counter() - begin}


def step(function, path, memory, pipe):
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    try:
        pipe.send(function(path))
    except (ValueError, OverflowError, OSError, MemoryError, RuntimeError) as error:
        pipe.send({"failed": f"{type(error).__name__}: {error}"})


def limited(options, function, path):
    """Runs a function in a separate process within the limits, and returns its result."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=step,
                                      args=(function, path, options.memory << 30, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(options.limit) else {"failed": "out of time"}
    except EOFError:
        return {"failed": "out of memory"}
    finally:
        process.kill()
        process.join()


def by_scipy(options):
    for name, path in matrices(options):
        a = systems.matrix(path)
        kind = limited(options, classify, path)
        found = {} if kind.get("singular") else limited(options, solve, path)
        yield name, {"rows": a.shape[0], "entries": a.nnz, **kind, "scipy": found}


def furrow(options, path):
    a = systems.matrix(path)
    b = a @ numpy.ones(a.shape[1])
    with tempfile.TemporaryDirectory() as folder:
        given = pathlib.Path(folder, "b.mtx")
        out = pathlib.Path(folder, "x.mtx")
        scipy.io.mmwrite(given, b[:, numpy.newaxis], precision=17)
        command = [options.program, "solve", path, "--json", "--quiet", "--rtol", str(ASKED),
                   "--threads", "2", "--b", given, "--out", out]
        begin = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=options.limit)
        except subprocess.TimeoutExpired:
            return {"outcome": "out of time", "residual": None, "seconds": options.limit}
        seconds = time.perf_counter() - begin
        if not done.stdout.strip():
            return {"outcome": done.stderr.strip(), "residual": None, "seconds": seconds}
        report = json.loads(done.stdout)
        x = solve_all.read_solution(out, a.shape[1])
    plan = [f"{tried['method']} {tried['precond']}" for tried in report["attempts"]]
    return {"outcome": report["outcome"], "residual": None if x is None else residual_of(a, b, x),
            "seconds": seconds, "plan": plan}


def by_furrow(options):
    for name, path in matrices(options):
        yield name, furrow(options, path)


def is_reached(found):
    return found.get("residual") is not None and found["residual"] <= ASKED * ROUNDING


def is_false(found):
    return found.get("outcome") == "converged" and not is_reached(found)


def cells(found):
    residual = "" if found.get("residual") is None else f"{found['residual']:.1e}"
    outcome = found.get("outcome", found.get("failed", "")) + (" **false**" * is_false(found))
    return [outcome, residual, f"{found['seconds']:.2g}" if "seconds" in found else ""]


def print_row(entries):
    print("| " + " | ".join(map(str, entries)) + " |")


def short(plan):
    """Returns the last plan with its number."""
    return plan[-1] + (f", the {len(plan)}th plan" if len(plan) > 3 else
                       ("", ", the 2nd plan", ", the 3rd plan")[len(plan) - 1]) if plan else ""


def print_counts(known, own, kinds, label):
    names = [n for n in own if not known[n].get("singular") and known[n].get("kind") in kinds]
    print(f"- {label}: {len(names)} matrices; furrow "
          f"{sum(is_reached(own[n]) for n in names)}, SciPy "
          f"{sum(is_reached(known[n]['scipy']) for n in names)}; said falsely: furrow "
          f"{sum(is_false(own[n]) for n in names)}, SciPy "
          f"{sum(is_false(known[n]['scipy']) for n in names)}")


def table(options):
    known = json.loads(options.known.read_text(encoding="utf-8"))
    own = json.loads(options.own.read_text(encoding="utf-8"))
    heads = ["matrix", "rows", "entries", "A", "furrow", "outcome", "residual", "s",
             "SciPy", "residual", "s"]
    print_row(heads)
    print("|" + "---|" * len(heads))
    for name, found in own.items():
        k = known[name]
        if not k.get("singular"):
            print_row([name, k["rows"], k["entries"], k.get("kind", "not known"),
                       short(found.get("plan", [])), *cells(found), *cells(k["scipy"])])
    print()
    print_counts(known, own, ("definite",), "positive definite")
    print_counts(known, own, ("definite", "symmetric", "general", None), "all")
    print("\nSet aside as singular: " +
          ", ".join(f"{n} ({known[n]['singular']})" for n in own if known[n].get("singular")) + ".")
    return 1 if any(map(is_false, own.values())) else 0


def collect(found, path):
    all_found = {}
    for name, one in found:
        all_found[name] = one
        print(name, one.get("outcome", one.get("singular", "")), file=sys.stderr, flush=True)
        path.write_text(json.dumps(all_found, indent=1) + "\n", encoding="utf-8")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(dest="step", required=True)
    for name in ("scipy", "furrow"):
        one = steps.add_parser(name)
        if name == "furrow":
            one.add_argument("program")
        one.add_argument("manifest", type=pathlib.Path)
        one.add_argument("json", type=pathlib.Path)
        one.add_argument("--name", nargs="*")
        one.add_argument("--limit", type=float, default=60)
        one.add_argument("--memory", type=int, default=12, help="GiB for a step of SciPy")
    one = steps.add_parser("table")
    one.add_argument("known", type=pathlib.Path)
    one.add_argument("own", type=pathlib.Path)
    options = parser.parse_args()
    if options.step == "table":
        return table(options)
    return collect((by_scipy if options.step == "scipy" else by_furrow)(options), options.json)


if __name__ == "__main__":
    sys.exit(main())

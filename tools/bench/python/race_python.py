#!/usr/bin/env python3
"""Races the package with SciPy: medians of alternating runs, ratios, and a check of every result.

race_python.py [--quick] [--matrices FOLDER] [NAME...]      of: product small block read cg rcm overhead import

--matrices FOLDER: products with all matrices in its files that have at least 10^5 entries.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import furrow
import numpy as np
import scipy
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as spla


def stencil(points: int, grid: int) -> Any:
    """The negated Laplacian of 5 or 7 points on a grid."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(grid, grid), format="csr")
    one = sp.eye_array(grid, format="csr")
    plane = sp.kron(line, one) + sp.kron(one, line)
    made = plane if points == 5 else sp.kron(plane, one) + sp.kron(sp.eye_array(grid**2), line)
    return canonical(made)


def canonical(a: Any) -> Any:
    a = sp.csr_array(a)
    a.sum_duplicates()
    return a


def random_rows(rows: int, length: int) -> Any:
    """About `length` entries a row at random columns, so that x is read in random order."""
    rng = np.random.default_rng(7)
    row = np.repeat(np.arange(rows), length)
    return canonical(sp.coo_array((rng.standard_normal(rows * length), (row, rng.integers(0, rows, rows * length)))))


def banded(rows: int, length: int, width: int) -> Any:
    """Entries near the diagonal, as in a mesh after renumbering."""
    rng = np.random.default_rng(8)
    row = np.repeat(np.arange(rows), length)
    col = np.clip(row + rng.integers(-width, width + 1, rows * length), 0, rows - 1)
    return canonical(sp.coo_array((rng.standard_normal(rows * length), (row, col)), shape=(rows, rows)))


def powerlaw(rows: int, length: int) -> Any:
    """Rows of very different lengths, as in graphs."""
    rng = np.random.default_rng(9)
    row = (rows * rng.power(0.4, rows * length)).astype(int)
    col = rng.integers(0, rows, rows * length)
    return canonical(sp.coo_array((rng.standard_normal(rows * length), (row, col)), shape=(rows, rows)))


# ---- timing


def race(*contestants: Callable[[], Any], runs: int = 9, seconds: float = 2.0, pause: float = 0) -> list[float]:
    """Medians of seconds. The contestants run in turn, with pauses between them."""
    for run in contestants:
        run()
    times: list[list[float]] = [[] for _ in contestants]
    end = time.perf_counter() + seconds * len(contestants)
    while len(times[0]) < runs or time.perf_counter() < end and len(times[0]) < 1000:
        for run, taken in zip(contestants, times, strict=True):
            time.sleep(pause)
            begin = time.perf_counter()
            run()
            taken.append(time.perf_counter() - begin)
    return [statistics.median(taken) for taken in times]


def say(name: str, theirs: float, ours: float, words: str = "") -> float:
    print(f"{name:34} SciPy {theirs * 1e3:10.3f} ms   Furrow {ours * 1e3:10.3f} ms   {theirs / ours:6.2f}x  {words}")
    return theirs / ours


def near(got: Any, want: Any, scale: float = 1e-9) -> None:
    worst = np.abs(got - want).max(initial=0)
    assert worst <= scale * max(1.0, np.abs(want).max(initial=0)), f"results differ by {worst}"


# ---- races


def product(quick: bool) -> None:
    grid = 64 if quick else 128
    rows = 50_000 if quick else 1_000_000
    matrices = {
        f"7 points, {grid}^3": stencil(7, grid),
        f"5 points, {8 * grid}^2": stencil(5, 8 * grid),
        "banded, 27 a row": banded(rows, 27, 500),
        "random, 8 a row": random_rows(rows, 8),
        "power law, 8 a row": powerlaw(rows, 8),
    }
    say_mean([multiply(name, a) for name, a in matrices.items()])


def multiply(name: str, a: Any, seconds: float = 2.0) -> float:
    f, x = furrow.csr(a), np.random.default_rng(1).standard_normal(a.shape[1]).astype(a.dtype)
    for _ in range(101):
        f @ x
    near(f @ x, a @ x)
    theirs, ours = race(lambda: a @ x, lambda: f @ x, seconds=seconds)
    return say(f"A @ x, {name}", theirs, ours, f._cache.product.report()["kernel"])


def say_mean(ratios: list[float]) -> None:
    print(f"{f'geometric mean of {len(ratios)}':34} {statistics.geometric_mean(ratios):.2f}x")


def files(folder: str) -> None:
    """Products with the matrices in a folder."""
    ratios = []
    for path in sorted(os.scandir(folder), key=lambda entry: entry.name):
        try:
            a = furrow.read(path.path).to_scipy()
        except furrow.Error:  # no matrix, or one that is there to be refused
            continue
        if a.nnz >= 100_000:
            ratios.append(multiply(path.name.partition(".")[0], a, 0.3))
    say_mean(ratios)


def small(quick: bool) -> None:
    for name, a in (("5 points", stencil(5, 32)[:1000, :1000]), ("banded, 20 a row", banded(1000, 20, 50))):
        f, x = furrow.csr(a), np.ones(1000)
        for _ in range(101):
            f @ x
        near(f @ x, a @ x)
        say(f"A @ x, 1000 rows, {name}", *many(lambda a=a, x=x: a @ x, lambda f=f, x=x: f @ x))


def many(*contestants: Callable[[], Any]) -> list[float]:
    """Seconds of short calls. A thousand calls are timed together."""

    def thousand(run: Callable[[], Any]) -> Callable[[], None]:
        def runs() -> None:
            for _ in range(1000):
                run()

        return runs

    return [seconds / 1000 for seconds in race(*map(thousand, contestants), seconds=1.0)]


def block(quick: bool) -> None:
    a = stencil(7, 48 if quick else 96)
    f = furrow.csr(a)
    for order in "CF":
        x = np.asarray(np.random.default_rng(1).standard_normal((a.shape[1], 16)), order=order)
        near(f @ x, a @ x)
        say(f"A @ X, k = 16, {order} order", *race(lambda x=x: a @ x, lambda x=x: f @ x))
    results: list[Any] = []  # which all stay, so that each needs memory of its own
    x = np.random.default_rng(1).standard_normal((a.shape[1], 16))
    runs = race(lambda: results.append(a @ x), lambda: results.append(f @ x), seconds=0)
    say("A @ X, k = 16, results are kept", *runs)


def read(quick: bool) -> None:
    a = banded(20_000 if quick else 300_000, 20, 300)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".mtx", ".mtx.gz"):
            path = os.path.join(folder, "a" + suffix)
            furrow.write(path, a)
            assert (scipy.io.mmread(path, spmatrix=False).tocsr() != furrow.read(path).to_scipy()).nnz == 0
            theirs, ours, mm = race(
                lambda p=path: scipy.io.mmread(p, spmatrix=False).tocsr(),
                lambda p=path: furrow.read(p).to_scipy(),
                lambda p=path: furrow.io.mmread(p, spmatrix=False),
                runs=5,
            )
            say(f"{suffix} to csr_array", theirs, ours)
            say(f"mmread of {suffix}", race(lambda p=path: scipy.io.mmread(p, spmatrix=False), runs=3)[0], mm)
            memory = [peak(path, code) for code in (THEIR_READING, OUR_READING)]
            print(
                f"{'peak memory of ' + suffix:34} SciPy {memory[0]:7.0f} MB   Furrow {memory[1]:7.0f} MB   "
                f"{memory[1] / memory[0]:.2f} of it"
            )


THEIR_READING = "scipy.io.mmread(path, spmatrix=False).tocsr()"
OUR_READING = "furrow.read(path).to_scipy()"


def peak(path: str, code: str) -> float:
    """MB that a process allocates for reading, in addition to its memory after the imports."""
    code = f"""
import re, numpy, scipy.io, scipy.sparse, furrow
path = {path!r}
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
before = peak()
{code}
print((peak() - before) / 1024)
"""
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def cg(quick: bool) -> None:
    for name, a in (
        (f"7 points, {32 if quick else 64}^3", stencil(7, 32 if quick else 64)),
        ("5 points, 512^2", stencil(5, 512)),
    ):
        a = canonical(a + sp.diags_array(np.linspace(0, 0.05, a.shape[0])))  # no multiple of a stencil
        f, b = furrow.csr(a), np.random.default_rng(2).standard_normal(a.shape[0])
        inverse = spla.aslinearoperator(sp.diags_array(1 / a.diagonal()))
        theirs = spla.cg(a, b, rtol=1e-8, M=inverse)[0]
        ours, info = furrow.cg(f, b, rtol=1e-8, M="jacobi")
        assert info == 0 and np.linalg.norm(b - a @ ours) <= 1.01e-8 * np.linalg.norm(b)
        near(ours, theirs, 1e-4)
        # SciPy's dot products wake the threads of NumPy's BLAS, which stay awake for 0.1 s
        seconds = race(
            lambda: spla.cg(a, b, rtol=1e-8, M=inverse),
            lambda: furrow.cg(f, b, rtol=1e-8, M="jacobi"),
            runs=5,
            pause=0.2,
        )
        say(f"cg with Jacobi, {name}", *seconds, f"{info.report.iterations} iterations")


def rcm(quick: bool) -> None:
    if not hasattr(furrow, "reverse_cuthill_mckee"):
        return
    rng = np.random.default_rng(3)
    a = stencil(5, 100 if quick else 700)
    shuffle = rng.permutation(a.shape[0])
    a = canonical(a[shuffle][:, shuffle])
    theirs = sp.csgraph.reverse_cuthill_mckee(a, symmetric_mode=True)
    ours = furrow.reverse_cuthill_mckee(a, symmetric_mode=True)
    width = [int(abs(np.subtract(*a[p][:, p].nonzero())).max()) for p in (theirs, ours)]
    say(
        "reverse_cuthill_mckee",
        *race(
            lambda: sp.csgraph.reverse_cuthill_mckee(a, symmetric_mode=True),
            lambda: furrow.reverse_cuthill_mckee(a, symmetric_mode=True),
            runs=3,
        ),
        f"bandwidths {width}",
    )


def overhead(quick: bool) -> None:
    f = furrow.csr(np.eye(8))
    plan, x, y = f.plan(uses=1), np.ones(8), np.empty(8)
    with_out, without, matmul, empty = many(lambda: plan(x, out=y), lambda: plan(x), lambda: f @ x, lambda: None)
    for name, seconds in (("p(x, out=y)", with_out), ("p(x)", without), ("A @ x", matmul)):
        print(f"{name + ' of 8 rows':34} {(seconds - empty) * 1e6:.2f} us a call")


def imports(quick: bool) -> None:
    code = "import time, numpy; b = time.perf_counter(); import furrow; print(time.perf_counter() - b)"
    seconds = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(9)
    ]
    print(f"{'import furrow after NumPy':34} {statistics.median(seconds) * 1e3:.1f} ms")


RACES = {
    "product": product,
    "small": small,
    "block": block,
    "read": read,
    "cg": cg,
    "rcm": rcm,
    "overhead": overhead,
    "import": imports,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*RACES, []], metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="small matrices")
    parser.add_argument("--matrices", metavar="FOLDER", help="products with these instead")
    given = parser.parse_args()
    versions = f"furrow {furrow.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}"
    print(f"{versions}, Python {platform.python_version()}, {furrow.get_num_threads()} threads")
    if given.matrices:
        files(given.matrices)
    for name in given.names or ([] if given.matrices else RACES):
        RACES[name](given.quick)
    print(f"{'peak memory of all':34} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
